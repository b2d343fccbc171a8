import type { Page } from '@asof/core'
import { timestamp } from '../contract/wire-form.ts'

/** The properties of a page that {@link pageMetadata} reads. A page that was fetched live has no history. */
export type DescribedPage = Pick<Page, 'description' | 'siteName' | 'lang' | 'kind' | 'publishedFrom' | 'data'> &
  Partial<Pick<Page, 'revisedAt' | 'lastSeenAt'>>

/** Returns what is known of a page besides its text, author, dates and fields, with wire names. */
export function pageMetadata(page: DescribedPage) {
  return {
    description: page.description,
    site_name: page.siteName,
    lang: page.lang,
    kind: page.kind,
    published_from: page.publishedFrom,
    revised_at: timestamp(page.revisedAt),
    last_seen_at: timestamp(page.lastSeenAt),
    data: page.data,
  }
}
