import type { CaptureInput, ExtractedPage } from '@asof/core'

/** The content of a page as the engine accepts it: a capture without `url` and `aliases`. */
export type PageContent = Omit<CaptureInput, 'url' | 'aliases' | 'markdown'> & { markdown: string }

/** Takes from an extracted page the fields that a capture can have. Fields that extraction did not find are absent. */
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
