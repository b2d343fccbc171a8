/** Maximum length of a query that the engine accepts, characters. */
const MAX_QUERY_CHARS = 2048
const QUOTATION_MARKS = /["“”„‟«»‹›「」『』＂]/g

/**
 * Returns a text as a query of plain words, as those of test collections are. Cuts it to the maximum length. Removes
 * leading minus signs, `site:` and quotation marks, which would turn words into conditions.
 *
 * @param options.quoted - true to keep the quotation marks. Default false.
 */
export function plainQuery(text: string, { quoted = false }: { quoted?: boolean } = {}): string {
  const words = Array.from(text)
    .slice(0, MAX_QUERY_CHARS)
    .join('')
    .replace(/(^|\s)-+(?=\S)/g, '$1')
    .replace(/\bsite:(?=\S)/gi, 'site ')
  return quoted ? words : words.replace(QUOTATION_MARKS, ' ')
}
