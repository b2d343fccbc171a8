import { spawnSync } from 'node:child_process'

/** A file of a git repository as of one commit. */
export interface GitChange {
  path: string
  /** Instant of the commit, epoch ms. */
  at: number
  /** Undefined if the commit removed the file. */
  text?: string
}

const MAX_BYTES = 2 ** 30

/**
 * Reads what commits did to the files of a repository, along the first parents, the oldest first.
 *
 * @param names - patterns of the files, such as `*.md`.
 * @param most - maximum number of changes; later changes are not read.
 */
export function gitChanges(repository: string, names: readonly string[], most = Number.POSITIVE_INFINITY): GitChange[] {
  const files = changedFiles(repository, names).slice(0, most)
  const wanted = files.filter(({ removed }) => !removed).map(({ blob }) => `${blob}\n`)
  const texts = textsOf(git(repository, ['cat-file', '--batch'], wanted.join('')))
  let next = 0
  return files.map(({ path, at, removed }) => ({ path, at, text: removed ? undefined : texts[next++] }))
}

interface ChangedFile {
  blob: string
  path: string
  removed: boolean
  at: number
}

function changedFiles(repository: string, names: readonly string[]): ChangedFile[] {
  const format = ['--format=commit %ct', '--raw', '--no-abbrev', '--no-renames', '-m', '--first-parent', '--reverse']
  const files: ChangedFile[] = []
  let at = 0
  for (const line of git(repository, ['-c', 'core.quotePath=false', 'log', ...format, '--', ...names])
    .toString()
    .split('\n')) {
    const [, seconds] = /^commit (\d+)$/.exec(line) ?? []
    const [, blob = '', kind, path] = /^:\d+ \d+ \S+ (\S+) ([AMD])\t(.+)$/.exec(line) ?? []
    if (seconds !== undefined) at = Number(seconds) * 1_000
    if (path !== undefined) files.push({ blob, path, removed: kind === 'D', at })
  }
  return files
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
    maxBuffer: MAX_BYTES,
  })
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`, { cause: error })
  return stdout
}
