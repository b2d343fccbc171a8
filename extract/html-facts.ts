import { modifiedDateOf } from './dates/modified-date.ts'
import { findPublishDate } from './dates/publish-date.ts'
import type { PublishedDate } from './dates/published-date.ts'
import { authorOf } from './facts/page-author.ts'
import { declaredLanguages } from './facts/page-declarations.ts'
import { siteNameOf, titleOf } from './facts/page-title.ts'
import { findBoilerplate } from './html/class-evidence.ts'
import type { HtmlTree } from './html/html-tree.ts'
import { gatherMetadata, type PageMetadata } from './structured/page-metadata.ts'
import { type DayOrder, dayOrder } from './written-dates/date-text.ts'

/** Facts about an HTML page that are found before its content is chosen, and that decide how it is chosen. */
export interface HtmlFacts {
  metadata: PageMetadata
  title: string | undefined
  author: string | undefined
  siteName: string | undefined
  /** The declared languages, BCP 47 tags, the most trusted first. */
  languages: readonly string[]
  order: DayOrder
  published: PublishedDate | undefined
  /** The declared time of the last change, in the form of `ExtractedPage.modifiedAt`. */
  modifiedAt: string | undefined
}

/** Finds title, author, languages and dates of an HTML page. */
export function factsOf(tree: HtmlTree, options: { url: string; latestAt?: number | undefined }): HtmlFacts {
  const { url, latestAt } = options
  const metadata = gatherMetadata(tree)
  const boilerplate = findBoilerplate(tree)
  const siteName = siteNameOf(metadata)
  const author = authorOf(tree, metadata, siteName, boilerplate)
  const title = titleOf(metadata, { tree, siteName, url, boilerplate, isSigned: author !== undefined })
  const languages = declaredLanguages(metadata)
  const order = dayOrder(languages, url)
  const modifiedAt = modifiedDateOf(tree, metadata, order)
  const published = findPublishDate(tree, metadata, {
    url,
    latestAt,
    title: title ?? '',
    order,
    boilerplate,
    modifiedAt,
  })
  return { metadata, title, author, siteName, languages, order, published, modifiedAt }
}
