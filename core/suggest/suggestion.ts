import type { TimeInput } from '../page.ts'

/** The options of {@link Engine.suggest}. */
export interface SuggestOptions {
  /** 1 to 50. Default 10. A shorter list is the beginning of a longer one. */
  maxResults?: number
  /** The instant as of which titles are suggested. Default now. */
  queryTime?: TimeInput
}

/** A completion of the beginning of a query. */
export interface Suggestion {
  kind: 'title' | 'site'
  /** The title of a page, or the host of a site. */
  text: string
  /** The URL of the page. Undefined if the text is a host. */
  url?: string
}
