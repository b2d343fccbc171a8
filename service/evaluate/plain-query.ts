/** Characters of a query that the engine accepts. */
const MAX_QUERY_CHARS = 2048
const QUOTATION_MARKS = /["“”„‟«»‹›「」『』＂]/g

/**
 * Returns a text as a query of plain words: cut to the length that the engine accepts, and without leading minus signs,
 * `site:` and quotation marks, which would make conditions of its words. Queries of test collections are such texts.
 *
 * @param options.quoted - true keeps the quotation marks. Default false.
 */
export function plainQuery(text: string, { quoted = false }: { quoted?: boolean } = {}): string {
  const words = Array.from(text)
    .slice(0, MAX_QUERY_CHARS)
    .join('')
    .replace(/(^|\s)-+(?=\S)/g, '$1')
    .replace(/\bsite:(?=\S)/gi, 'site ')
  return quoted ? words : words.replace(QUOTATION_MARKS, ' ')
}
