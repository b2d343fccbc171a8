import type { CaptureInput, ExtractedPage } from '../core/index.ts'

/** What extraction found on a page, as a capture carries it; where the page is comes from elsewhere. */
export function contentOf(
  extracted: ExtractedPage,
): Omit<CaptureInput, 'url' | 'aliases' | 'markdown'> & { markdown: string } {
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
