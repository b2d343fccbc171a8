import { hash } from 'node:crypto'
import type { CaptureInput, ExtractedPage } from '@asof/core'

/** The content of a page as the engine accepts it: a capture without `url` and `aliases`. */
export type PageContent = Omit<CaptureInput, 'url' | 'aliases' | 'markdown'> & { markdown: string }

/** Takes from an extracted page the fields that a capture can have. */
export function contentOf(extracted: ExtractedPage): PageContent {
  const { title, author, description, publishedAt, publishedFrom, lang, siteName, data, kind, markdown } = extracted
  const items = data.length === 0 ? undefined : data
  return { markdown, title, author, description, publishedAt, publishedFrom, lang, siteName, data: items, kind }
}

// Shorter texts ("Loading…", an empty listing) do not identify a page.
const minTextChars = 64

/**
 * Hashes the text of a page. Two pages whose texts differ only in case, white space and link targets have the same hash.
 *
 * @returns `undefined` for a page with too little text to recognize it by.
 */
export function textHashOf(markdown: string): string | undefined {
  // Link targets differ where the same article has two URLs and links to itself.
  const text = markdown
    .replace(/\]\([^()\s]{0,2048}\)/g, ']')
    .toLowerCase()
    // Every run of white space becomes one space; most are one already.
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .trim()
  if (text.length < minTextChars) return undefined
  return hash('sha256', text, 'base64url').slice(0, 22)
}
