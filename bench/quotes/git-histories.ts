import { spawnSync } from 'node:child_process'
import type { ObservationInput } from '@asof/core'
import type { IndexedHistory } from './page-histories.ts'
import { asciiWords } from './quote-truth.ts'

const MOST_BYTES = 2 ** 30
const TEXTS = ['*.md', '*.txt', '*.rst']

/**
 * Reads the histories of the text files of a git repository, along the first parents. Files are left out that are not ASCII as a
 * whole, because the truth knows only ASCII.
 *
 * @param versions - reads no more versions than these, the oldest.
 */
export function gitHistories(repository: string, versions: number): IndexedHistory[] {
  const changes = changesOf(repository).slice(0, versions)
  const wanted = changes.filter(({ removed }) => !removed).map(({ commit, path }) => `${commit}:${path}\n`)
  const texts = textsOf(git(repository, ['cat-file', '--batch'], wanted.join('')))
  const histories = new Map<string, IndexedHistory>()
  let next = 0
  for (const { path, removed, at: committed } of changes) {
    const text = removed ? undefined : texts[next++]
    const url = new URL(path, 'https://git.example/').href
    const history = histories.get(path) ?? { page: { url, versions: [] }, observations: [] }
    const { page, observations } = history
    // Commits may have equal times, or earlier ones than their parents.
    const at = Math.max(committed, (page.versions.at(-1)?.at ?? 0) + 1)
    page.versions.push(text === undefined ? { at } : { at, sentences: [asciiWords(text)] })
    observations.push(observationOf(url, at, text))
    histories.set(path, history)
  }
  const isPlain = (text: unknown) => typeof text !== 'string' || /^[\x09\x0a\x0d\x20-\x7e]+$/.test(text)
  return [...histories.values()].filter(
    ({ page, observations }) =>
      observations.every(observation => isPlain('text' in observation ? observation.text : undefined)) &&
      page.versions.every(({ sentences }) => sentences?.[0]?.length !== 0) &&
      page.versions.some(({ sentences }) => sentences),
  )
}

function observationOf(url: string, at: number, text: string | undefined): ObservationInput {
  return text === undefined ? { url, removedAt: at } : { url, title: url, acquiredAt: at, text }
}

interface Change {
  commit: string
  path: string
  removed: boolean
  at: number
}

function changesOf(repository: string): Change[] {
  const format = ['--format=commit %H %ct', '--name-status', '--no-renames', '-m', '--first-parent', '--reverse']
  const changes: Change[] = []
  let commit = ''
  let at = 0
  for (const line of git(repository, ['-c', 'core.quotePath=false', 'log', ...format, '--', ...TEXTS])
    .toString()
    .split('\n')) {
    const [, hash, seconds] = /^commit (\S+) (\d+)$/.exec(line) ?? []
    const [, kind, path] = /^([AMD])\t(.+)$/.exec(line) ?? []
    if (hash !== undefined) commit = hash
    if (seconds !== undefined) at = Number(seconds) * 1_000
    if (path !== undefined) changes.push({ commit, path, removed: kind === 'D', at })
  }
  return changes
}

/** Reads the output of `git cat-file --batch`. */
function textsOf(output: Buffer): string[] {
  const texts: string[] = []
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(10, at)
    const size = Number(output.toString('latin1', at, lineEnd).split(' ')[2])
    if (!Number.isInteger(size)) throw new Error(`git cat-file: ${output.toString('utf8', at, lineEnd)}`)
    texts.push(output.toString('utf8', lineEnd + 1, lineEnd + 1 + size))
    at = lineEnd + 1 + size + 1
  }
  return texts
}

function git(repository: string, args: string[], input = ''): Buffer {
  const { stdout, stderr, status, error } = spawnSync('git', ['-C', repository, ...args], {
    input,
    maxBuffer: MOST_BYTES,
  })
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`, { cause: error })
  return stdout
}
