import type { Snippet } from '@asof/core'
import type { Citation } from '../contract/schema-parts.ts'
import { timestamp } from '../contract/wire-form.ts'
import { textFragment } from './text-fragment.ts'

/** The earliest instant whose date and time stamp can be written with four digits for the year. */
export const FIRST_MEMENTO_AT = Date.parse('0000-01-01T00:00:00.000Z')

/**
 * Returns the path of the memento (RFC 7089) of the version of a page that began at an instant. The time stamp has milliseconds, so two
 * versions of one second have two paths.
 *
 * @param at - epoch ms, in the years 0 to 9999.
 */
export function mementoPath(url: string, at: number): string {
  return `/memento/${new Date(at).toISOString().replace(/\D/g, '')}/${url}`
}

/** What a citation says of a page. */
export interface CitedPage {
  url: string
  title: string
  siteName?: string | undefined
  /** Epoch ms. */
  publishedAt?: number | undefined
  acquiredAt: number
  markdown: string
}

const MAX_TITLE_UNITS = 300
/** Length of the beginning of a page that is read for a citation, UTF-16 units. Behind it the link leads to the page as a whole. */
export const CITED_UNITS = 200_000

/**
 * Returns a link that shows the page as it was when its text was acquired, as long as the index keeps that version, and a line to paste.
 *
 * @param options.base - the address of the server, without a trailing slash. Default: the link is relative to it.
 * @param options.snippet - the link then leads to its best passage, with a text fragment.
 * @returns undefined for a page from before the year 0, which has no memento.
 */
export function citationOf(
  page: CitedPage,
  { base = '', snippet }: { base?: string | undefined; snippet?: Snippet | undefined } = {},
): Citation | undefined {
  const { url, title, siteName, publishedAt, acquiredAt, markdown } = page
  if (acquiredAt < FIRST_MEMENTO_AT) return undefined
  const link = `${base}${mementoPath(url, acquiredAt)}${snippet ? textFragment(snippet, markdown) : ''}`
  const named = title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE_UNITS).toWellFormed()
  const parts = [
    named !== '' && `“${named}”`,
    siteName?.replace(/\s+/g, ' ').trim() || hostOf(url),
    publishedAt !== undefined && `published ${timestamp(publishedAt).slice(0, 10)}`,
    `as of ${timestamp(acquiredAt)}`,
  ]
  return { url: link, text: `${parts.filter(part => part !== false).join(', ')}: ${link}` }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url : url
}
