import { hash } from 'node:crypto'
import type { CaptureInput, ExtractedPage, Page } from '@asof/core'

/** The content of a page, in the form of a capture without `url` and `aliases`. */
export type PageContent = Omit<CaptureInput, 'url' | 'aliases' | 'markdown'> & { markdown: string }

/** Returns the parts of an extracted page that a capture can have. */
export function contentOf(extracted: ExtractedPage): PageContent {
  const { title, author, description, publishedAt, publishedFrom, lang, siteName, data, kind, fields, markdown } =
    extracted
  const items = data.length === 0 ? undefined : data
  return { markdown, title, author, description, publishedAt, publishedFrom, lang, siteName, data: items, kind, fields }
}

/** Returns the parts of a stored page that a capture can have. */
export function contentOfStored(page: Page): PageContent {
  const {
    url: _url,
    acquiredAt: _at,
    revisedAt: _revised,
    supersededAt: _superseded,
    lastSeenAt: _seen,
    ...rest
  } = page
  return rest
}

// Minimum length of a text that identifies a page. A shorter one ("Loading…", an empty list) may be on many pages.
const MIN_TEXT_CHARS = 64

/**
 * Hashes the text of a page, ignoring case, white space and link targets.
 *
 * @returns undefined if the text is too short to identify a page.
 */
export function textHashOf(markdown: string): string | undefined {
  // Link targets are removed, because an article with two URLs may link to itself by either.
  const text = markdown
    .replace(/\]\([^()\s]{0,2048}\)/g, ']')
    .toLowerCase()
    // Collapses white space. Single spaces are left alone, because they are most of it.
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .trim()
  if (text.length < MIN_TEXT_CHARS) return undefined
  return hash('sha256', text, 'base64url').slice(0, 22)
}
