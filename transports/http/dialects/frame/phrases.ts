import { refusedFields } from '../../../../service/index.ts'

/** Characters that the query language reads as quotation marks. */
const QUOTATION_MARKS = /["“”„‟«»「」『』]/gu

/** Returns true if a query quotes something itself. */
export function hasQuotes(query: string): boolean {
  return query.search(QUOTATION_MARKS) >= 0
}

/**
 * Returns texts as a query quotes them, so that a page must have each of them word for word, or must not have it.
 *
 * @param path - the name of the field that has the texts.
 * @param sign - `-` if a page must not have them.
 * @throws ServiceError invalid_request - a text has no word.
 */
export function quoted(path: string, texts: readonly string[], sign: '' | '-' = ''): string[] {
  const phrases = texts.map(text => text.replace(QUOTATION_MARKS, ' ').trim())
  const problems = phrases.flatMap((phrase, i) =>
    /[\p{L}\p{N}]/u.test(phrase) ? [] : [{ path: `${path}[${i}]`, reason: 'must have a word' }],
  )
  if (problems.length > 0) throw refusedFields('invalid_request', problems)
  return phrases.map(phrase => `${sign}"${phrase}"`)
}
