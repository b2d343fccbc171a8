/**
 * A property of a page that queries search by name, such as `author:`. `id` is for identifiers such as SKU and ISBN.
 */
export type TextProperty = 'url' | 'author' | 'lang' | 'type' | 'id'

/**
 * Returns the prefix of a property's index terms. A page with `docs` in its URL is indexed under `:url=docs`. Words of
 * a text never begin with a colon, so no text can produce such a term.
 */
export function propertyPrefix(property: TextProperty): string {
  return `:${property}=`
}

export function propertyTerm(property: TextProperty, value: string): string {
  return `:${property}=${value}`
}

const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}$/i

/**
 * Returns a BCP 47 tag and the wider tags that include it, in lower case, narrowest first: `pt-br` and `pt` for
 * `pt-BR`.
 *
 * @returns an empty list if the text is no tag.
 */
export function languageRanges(tag: string): string[] {
  if (!LANGUAGE.test(tag)) return []
  const parts = tag.toLowerCase().split(/[-_]/)
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))
}

/**
 * Returns the tags under which `lang:` finds a page, from its declared and its analyzed language.
 *
 * @param language - the language in which the page was analyzed, ISO 639-1; '' if unknown.
 */
export function languageRangesOf(declared: string, language: string): string[] {
  const ranges = languageRanges(declared)
  if (language !== '' && !ranges.includes(language)) ranges.push(language)
  return ranges
}

/** Returns the host, path and query of a normalized URL, decoded, as text to search in. */
export function urlText(url: string): string {
  const text = url.slice(url.indexOf('://') + 3)
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // The URL is not encoded in UTF-8. Its ASCII parts can still be searched.
    return text
  }
}
