/** A property of a page that queries can search by name, such as `author:`. `id` contains the keys of its identifiers. */
export type Field = 'url' | 'author' | 'lang' | 'type' | 'id'

/**
 * Returns the prefix of a field's terms: a page with `docs` in its URL is indexed under `:url=docs`. No word of a text
 * begins with a colon, so the text of a page cannot imitate its fields.
 */
export function fieldPrefix(field: Field): string {
  return `:${field}=`
}

export function fieldTerm(field: Field, value: string): string {
  return `:${field}=${value}`
}

const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}$/i

/**
 * Returns a BCP 47 tag and the wider tags that include it, in lower case, the narrowest first: `pt-br` and `pt` for `pt-BR`.
 *
 * @returns [] if the text is not a tag.
 */
export function languageRanges(tag: string): string[] {
  if (!LANGUAGE.test(tag)) return []
  const parts = tag.toLowerCase().split(/[-_]/)
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))
}

/**
 * Returns the tags under which `lang:` finds a page: those of its declared language, and the language that it was analyzed
 * in.
 *
 * @param language - the language that it was analyzed in, ISO 639-1; '' if unknown.
 */
export function languageRangesOf(declared: string, language: string): string[] {
  const ranges = languageRanges(declared)
  if (language !== '' && !ranges.includes(language)) ranges.push(language)
  return ranges
}

/** Returns the searchable text of a normalized URL: host, path and query, decoded. */
export function urlText(url: string): string {
  const text = url.slice(url.indexOf('://') + 3)
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // The URL is encoded in another charset; its ASCII parts are still searchable.
    return text
  }
}
