import { hash } from 'node:crypto'
import type { CaptureInput, ExtractedPage } from '@asof/core'

/** The content of a page as the engine accepts it: a capture without `url` and `aliases`. */
export type PageContent = Omit<CaptureInput, 'url' | 'aliases' | 'markdown'> & { markdown: string }

/** Returns the fields of an extracted page that a capture can have. */
export function contentOf(extracted: ExtractedPage): PageContent {
  const { title, author, description, publishedAt, publishedFrom, lang, siteName, data, kind, markdown } = extracted
  const items = data.length === 0 ? undefined : data
  return { markdown, title, author, description, publishedAt, publishedFrom, lang, siteName, data: items, kind }
}

// A shorter text ("Loading…", an empty list) may be the text of many pages.
const minTextChars = 64

/**
 * Hashes the text of a page. Two texts that differ only in case, white space and link targets have the same hash.
 *
 * @returns `undefined` if the text is too short to identify a page.
 */
export function textHashOf(markdown: string): string | undefined {
  // An article with two URLs may link to itself by both, so link targets are left out.
  const text = markdown
    .replace(/\]\([^()\s]{0,2048}\)/g, ']')
    .toLowerCase()
    // Every run of white space becomes one space. Most runs are one space already.
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .trim()
  if (text.length < minTextChars) return undefined
  return hash('sha256', text, 'base64url').slice(0, 22)
}
