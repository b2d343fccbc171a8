import type { CaptureInput, ExtractedPage } from '@asof/core'

/** A page's content as the index takes it: the capture but for its `url` and `aliases`. */
export type PageContent = Omit<CaptureInput, 'url' | 'aliases' | 'markdown'> & { markdown: string }

/** What extraction found, without what it did not find. */
export function contentOf(extracted: ExtractedPage): PageContent {
  const { title, author, description, publishedAt, publishedFrom, lang, siteName, data, kind, markdown } = extracted
  return {
    markdown,
    ...(title === undefined ? {} : { title }),
    ...(author === undefined ? {} : { author }),
    ...(description === undefined ? {} : { description }),
    ...(publishedAt === undefined ? {} : { publishedAt }),
    ...(publishedFrom === undefined ? {} : { publishedFrom }),
    ...(lang === undefined ? {} : { lang }),
    ...(siteName === undefined ? {} : { siteName }),
    ...(data.length === 0 ? {} : { data }),
    ...(kind === undefined ? {} : { kind }),
  }
}
