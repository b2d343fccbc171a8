import type { ObservationInput } from '@asof/core'
import { gitChanges } from '../apparatus/git-changes.ts'
import type { IndexedHistory } from './page-histories.ts'
import { asciiWords } from './quote-truth.ts'

const TEXTS = ['*.md', '*.txt', '*.rst']

/**
 * Reads the histories of the text files of a git repository, along the first parents. Files with characters outside ASCII are left out,
 * because `quote-truth.ts` reads only ASCII. Signs are left out of the texts, because `verify-pairs.ts` tests them.
 *
 * @param versions - maximum number of versions; later versions are not read.
 */
export function gitHistories(repository: string, versions: number): IndexedHistory[] {
  const histories = new Map<string, IndexedHistory>()
  for (const { path, text, at: committed } of gitChanges(repository, TEXTS, versions)) {
    const url = new URL(path, 'https://git.example/').href
    const history = histories.get(path) ?? { page: { url, versions: [] }, observations: [] }
    const { page, observations } = history
    // Commits may have equal times, or earlier ones than their parents.
    const at = Math.max(committed, (page.versions.at(-1)?.at ?? 0) + 1)
    const said = text === undefined ? undefined : withoutSigns(text)
    page.versions.push(said === undefined ? { at } : { at, sentences: [asciiWords(said)] })
    observations.push(observationOf(url, at, said))
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

/** Leaves out signs but not punctuation, and replaces what would join two numbers to one. Line ends stay. */
function withoutSigns(text: string): string {
  return text.replace(/[^A-Za-z0-9\s.,;:'"()\x80-\uFFFF]|(?<![A-Za-z0-9])\./g, ' ').replace(/(?<=\d)[ '](?=\d)/g, '; ')
}

function observationOf(url: string, at: number, text: string | undefined): ObservationInput {
  return text === undefined ? { url, removedAt: at } : { url, title: url, acquiredAt: at, text }
}
