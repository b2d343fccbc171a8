import { decodeHTML } from 'entities'
import { clip } from './characters/surrogates.ts'
import { type ExtractedPage, pageOf } from './extracted-page.ts'
import { collapse } from './html/html-tree.ts'
import { LinkResolver, withoutFragment } from './html/link-resolver.ts'
import { exponent, subscript } from './html/raised-text.ts'
import { extractHtml } from './html-page.ts'
import { escapeInline, linkTarget } from './markdown/markdown-escape.ts'
import type { PageLink } from './page.ts'
import { parseMachineDate, parseTextDate, type WrittenDate } from './written-dates/date-text.ts'

export const MAX_FEED_ENTRIES = 5000
const MAX_SUMMARY_CHARS = 500

/** A feed or one of its entries, as in the source. Missing properties are ''. Texts may contain HTML. */
export interface FeedEntry {
  title: string
  link: string
  summary: string
  date: string
}

/** A parsed feed. */
export interface Feed {
  /** The properties of the feed itself. */
  head: FeedEntry
  entries: readonly FeedEntry[]
  lang: string
}

/** Makes a page that lists the entries of a feed, each with title, day and summary. */
export function feedListing({ head, entries, lang }: Feed, url: string): ExtractedPage {
  const resolver = new LinkResolver(url)
  const links = new Map<string, PageLink>()
  const lines: string[] = []
  for (const entry of entries) {
    const address = resolver.resolve(entry.link.trim())
    const title = titleOf(entry.title)
    const summary = clip(plainText(entry.summary, url), MAX_SUMMARY_CHARS)
    const day = dateOf(entry.date)?.iso.slice(0, 10)
    const name = escapeInline(title || summary.slice(0, 80) || address || '', false)
    if (name === '') continue
    const details = [day, title === '' ? undefined : summary].filter(part => part !== undefined && part !== '')
    lines.push(
      `- ${address === undefined ? name : `[${name}](${linkTarget(address)})`}${details.length > 0 ? ` — ${details.join(': ')}` : ''}`,
    )
    const target = address === undefined ? undefined : withoutFragment(address)
    if (target !== undefined && !links.has(target)) links.set(target, { url: target, text: title, nofollow: false })
  }
  const title = titleOf(head.title)
  const description = plainText(head.summary, url)
  const date = dateOf(head.date)
  return {
    ...pageOf((description === '' ? lines : [description, '', ...lines]).join('\n').trim()),
    links: [...links.values()],
    title: title === '' ? undefined : clip(title, 500),
    description: description === '' ? undefined : clip(description, 2000),
    publishedAt: date?.iso,
    publishedFrom: date && { source: 'feed', precision: date.precision },
    lang: lang === '' ? undefined : lang,
  }
}

function dateOf(text: string): WrittenDate | undefined {
  return parseMachineDate(text) ?? parseTextDate(text, 'day-first')
}

/** Matches tags that are removed from titles. The text of their elements stays. */
const titleTags =
  /<\/?(?:a|abbr|b|big|br|cite|code|em|font|i|mark|p|q|s|small|span|strong|sub|sup|tt|u)(?:\s[^<>]{0,300})?\/?>/gi

/** Returns a title without HTML. Its references to characters are decoded. */
function titleOf(written: string): string {
  if (!/[<&]/.test(written)) return collapse(written)
  const withScripts = written.replace(/<(su[bp])>([^<>]{1,40})<\/\1>/gi, (_, tag: string, text: string) =>
    (tag.toLowerCase() === 'sup' ? exponent : subscript)(text),
  )
  // A title without an end tag may be about a tag, such as `<br>`. Its tags stay.
  return collapse(decodeHTML(withScripts.includes('</') ? withScripts.replace(titleTags, '') : withScripts))
}

/** Converts a text that may contain HTML to one line of escaped Markdown. */
function plainText(field: string, url: string): string {
  const text = collapse(field)
  if (text === '') return ''
  if (!/[<&]/.test(text)) return escapeInline(text, false)
  return collapse(
    extractHtml(`<p>${text}`, { url }).markdown.replace(/!?\[([^[\]]{0,300})\]\([^()\s]{0,2000}\)/g, '$1'),
  )
}
