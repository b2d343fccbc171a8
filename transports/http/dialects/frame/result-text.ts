import { firstCodePoints, limits, plainSnippet, type ResponseOf } from '../../../../service/index.ts'
import type { DialectWarning } from './warning.ts'

type Result = ResponseOf<'search'>['results'][number]

/** Stands between passages of a snippet that are not adjacent in the page. */
const GAP = ' … '

/** Returns passages of a result, together of at most as many characters. Empty if the page has no text. */
export function shownPassages(result: Pick<Result, 'snippet' | 'snippet_highlights'>, chars: number): string[] {
  let left = chars
  return plainSnippet(result)
    .split(GAP)
    .flatMap(whole => {
      const passage = firstCodePoints(whole, left)
      left -= [...passage].length
      return passage === '' ? [] : [passage]
    })
}

/** Returns the length of the longest text that each of so many results can have, characters. */
export function longestText(results: number): number {
  const perAnswer = Math.min(results, limits.results.max)
  return Math.min(limits.contentChars.max, Math.floor(limits.contentChars.all / perAnswer))
}

/**
 * Warns if asof cut a text that the request did not ask to be cut.
 *
 * @param path - the name of the field for the text.
 * @param most - the longest text that the answer can have, characters.
 */
export function warnOfCut(path: string, text: string, most: number, warnings: DialectWarning[]): void {
  const message = `a text was cut after ${most} characters, the most that an answer with as many results can have`
  // A text has at most as many code points as UTF-16 units.
  if (text.length < most || [...text].length < most || warnings.some(known => known.message === message)) return
  warnings.push({ path, message })
}
