import { firstCodePoints, limits, plainSnippet, type ResponseOf } from '../../../../service/index.ts'
import type { DialectWarning } from './warning.ts'

type Result = ResponseOf<'search'>['results'][number]

/**
 * Returns the passages of a result, or its snippet if it has none, as the page of a URL that was fetched from its site.
 *
 * @param most - maximum number of passages: the best ones, in the order of the page. Default: all.
 */
export function passageTexts(
  result: Pick<Result, 'passages' | 'snippet' | 'snippet_highlights'>,
  most = Number.POSITIVE_INFINITY,
): string[] {
  const { passages } = result
  if (!passages) return [plainSnippet(result)].filter(text => text !== '')
  const best = new Set([...passages].sort((one, other) => other.score - one.score).slice(0, most))
  return passages.filter(passage => best.has(passage)).map(({ text }) => text)
}

/** Returns the first of some texts, together of at most as many characters. The last one may be cut. */
export function textsWithin(texts: readonly string[], chars: number): string[] {
  let left = chars
  return texts.flatMap(whole => {
    const text = firstCodePoints(whole, left)
    left -= [...text].length
    return text === '' ? [] : [text]
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
