import type { Snippet } from '@asof/core'
import type { Citation } from '../contract/schema-parts.ts'
import { timestamp } from '../contract/wire-form.ts'

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
    ...(named === '' ? [] : [`“${named}”`]),
    siteName?.replace(/\s+/g, ' ').trim() || hostOf(url),
    ...(publishedAt === undefined ? [] : [`published ${timestamp(publishedAt).slice(0, 10)}`]),
    `as of ${timestamp(acquiredAt)}`,
  ]
  return { url: link, text: `${parts.join(', ')}: ${link}` }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url : url
}

/** Number of words that name each end of a passage. */
const END_WORDS = 5
/** Maximum length of such a word, in code points. Scripts without spaces have long ones. */
const WORD_CHARS = 16
/** Maximum length of a passage around its first matching word, in UTF-16 units to each side. */
const SIDE_UNITS = 200

/**
 * Returns a text fragment (WICG, URL Fragment Text Directives) for the sentence with the first matching word of a snippet: its first and
 * its last words, spelled as in the Markdown. Returns '' if none of them is there.
 */
export function textFragment({ text, highlights }: Snippet, markdown: string): string {
  const words = wordsOf(sentenceAround(text, highlights[0]?.[0] ?? 0))
  const page = markdown.replace(/\s+/g, ' ')
  // Markup may stand between two words: then the longest run without any is the start.
  let start: (Found & { first: number }) | undefined
  for (let first = 0; first < words.length && (start?.words ?? 0) < END_WORDS; first++) {
    const found = longestIn(page, words.slice(first, first + END_WORDS), true, 0)
    if (found && found.words > (start?.words ?? 0)) start = { ...found, first }
  }
  if (!start) return ''
  const rest = words.slice(start.first + start.words)
  const end = rest.length === 0 ? undefined : longestIn(page, rest.slice(-END_WORDS), false, start.end)
  return `#:~:text=${encoded(start.text)}${end ? `,${encoded(end.text)}` : ''}`
}

/** Returns the sentence around a place of a snippet, or the part of it near the place. */
function sentenceAround(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - SIDE_UNITS), at)
  const after = text.slice(at, at + SIDE_UNITS)
  const begin = before.search(/(?<=[.!?…。！？।][\s)]|[。！？…\n])[^.!?…。！？।\n]*$/u)
  const end = after.search(/[.!?](?=\s|$)|[…。！？।\n]/u)
  const sentence = `${begin < 0 ? before : before.slice(begin)}${end < 0 ? after : after.slice(0, end)}`
  return sentence.toWellFormed().replaceAll('\ufffd', ' ')
}

function wordsOf(sentence: string): string[] {
  return sentence.split(/\s+/).flatMap(word => {
    const chars = [...word]
    return chars.length <= WORD_CHARS ? (word === '' ? [] : [word]) : [chars.slice(0, WORD_CHARS).join('')]
  })
}

interface Found {
  text: string
  /** Number of words. */
  words: number
  /** Where it ends in the page. */
  end: number
}

/** Finds the longest run of the first, or else of the last, of some words in a page, from a place on. */
function longestIn(page: string, words: readonly string[], isStart: boolean, from: number): Found | undefined {
  let longest: Found | undefined
  // A longer run has the shorter ones in it, so the first that is missing ends the search.
  for (let count = 1; count <= words.length; count++) {
    const text = (isStart ? words.slice(0, count) : words.slice(-count)).join(' ')
    const at = page.indexOf(text, from)
    if (at < 0) break
    longest = { text, words: count, end: at + text.length }
  }
  return longest
}

/** A dash and a comma have a meaning in a text fragment. `encodeURIComponent` leaves the dash as it is. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('-', '%2D')
}
