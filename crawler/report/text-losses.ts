/** Pages of which text is missing, and that are stored nevertheless. */
export interface TextLosses {
  /** Number of pages without any text. */
  withoutText: number
  /** The URLs of the first ten pages without any text. */
  withoutTextUrls: string[]
  /** Number of characters that could not be decoded. The index has U+FFFD in their place. */
  replacedCharacters: number
  /** The first ten pages with such characters. */
  replacedUrls: string[]
}

/** Maximum number of URLs in each list of {@link TextLosses}. */
export const LOSSES_LISTED = 10

export function noLosses(): TextLosses {
  return { withoutText: 0, withoutTextUrls: [], replacedCharacters: 0, replacedUrls: [] }
}
