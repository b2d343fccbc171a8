/** What a page says about itself besides its text, searched by its own name; `id` holds the keys of its identifiers. */
export type Field = 'url' | 'author' | 'lang' | 'type' | 'id'

/**
 * What the terms of a field begin with: the index holds `:url=docs` for a page with the word in its address. No word of
 * a text begins with a colon, so no page can say of itself by its text what its fields don't.
 */
export function fieldPrefix(field: Field): string {
  return `:${field}=`
}

export function fieldTerm(field: Field, value: string): string {
  return `:${field}=${value}`
}

const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}$/i

/**
 * A BCP 47 tag and the wider ones that it belongs to, lower-case, the narrowest first: `pt-BR` is `pt-br` and `pt`.
 * None for what is no tag.
 */
export function languageRanges(tag: string): string[] {
  if (!LANGUAGE.test(tag)) return []
  const parts = tag.toLowerCase().split(/[-_]/)
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))
}

/**
 * The tags that a page is found under by `lang:`: those of the declared language, and the language that it was analyzed in.
 *
 * @param language - ISO 639-1; '' when unknown.
 */
export function languageRangesOf(declared: string, language: string): string[] {
  const ranges = languageRanges(declared)
  if (language !== '' && !ranges.includes(language)) ranges.push(language)
  return ranges
}

/** The words of a normalised URL stand in this text: host, path and query, decoded. */
export function urlText(url: string): string {
  const text = url.slice(url.indexOf('://') + 3)
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // Encoded in another charset: the parts in ASCII are words all the same.
    return text
  }
}
