import { Parser } from 'htmlparser2'
import type { PageLink } from '../page.ts'
import { parseMachineDate, parseTextDate, type WrittenDate } from './date-text.ts'
import type { ExtractedPage } from './extracted-page.ts'
import { extractHtml } from './html-page.ts'
import { clip, collapse } from './html-tree.ts'
import { LinkResolver, withoutFragment } from './link-resolver.ts'
import { escapeInline, linkTarget } from './markdown-escape.ts'
import { plainPage } from './plain-page.ts'

const MAX_ENTRIES = 5000
const MAX_FIELD_CHARS = 20_000
const MAX_SUMMARY_CHARS = 500
/** htmlparser2's stack costs time quadratic in depth; no feed nests this deep. */
const MAX_DEPTH = 256

interface Entry {
  title: string
  link: string
  summary: string
  date: string
}

const entryTags = new Set(['item', 'entry'])
const fieldOfTag = new Map<string, keyof Entry>([
  ['title', 'title'],
  ['link', 'link'],
  ['description', 'summary'],
  ['summary', 'summary'],
  ['subtitle', 'summary'],
  ['pubdate', 'date'],
  ['published', 'date'],
  ['dc:date', 'date'],
  ['issued', 'date'],
])

/** An RSS or Atom feed as a listing of its entries; other XML as its text; XHTML as HTML. */
export function extractFeed(source: string, options: { url: string; latestAt?: number }): ExtractedPage {
  const reader = new FeedReader()
  reader.read(source)
  if (reader.isHtml || !reader.isFeed) return extractHtml(source, options)
  const resolver = new LinkResolver(options.url)
  const { head, entries } = reader
  const links = new Map<string, PageLink>()
  const lines: string[] = []
  for (const entry of entries) {
    const url = resolver.resolve(entry.link.trim())
    const title = collapse(entry.title)
    const summary = clip(plainText(entry.summary, options.url), MAX_SUMMARY_CHARS)
    const day = dateOf(entry.date)?.iso.slice(0, 10)
    const name = escapeInline(title || summary.slice(0, 80) || url || '', false)
    if (name === '') continue
    const details = [day, title === '' ? undefined : summary].filter(part => part !== undefined && part !== '')
    lines.push(
      `- ${url === undefined ? name : `[${name}](${linkTarget(url)})`}${details.length > 0 ? ` — ${details.join(': ')}` : ''}`,
    )
    if (url !== undefined && !links.has(withoutFragment(url)))
      links.set(withoutFragment(url), { url: withoutFragment(url), text: title, nofollow: false })
  }
  const title = collapse(head.title)
  const description = plainText(head.summary, options.url)
  const date = dateOf(head.date)
  return {
    ...plainPage([...(description === '' ? [] : [description, '']), ...lines].join('\n').trim()),
    links: [...links.values()],
    ...(title === '' ? {} : { title: clip(title, 500) }),
    ...(description === '' ? {} : { description: clip(description, 2000) }),
    ...(date === undefined
      ? {}
      : { publishedAt: date.iso, publishedFrom: { source: 'feed', precision: date.precision } }),
    ...(reader.lang === '' ? {} : { lang: reader.lang }),
  }
}

function dateOf(text: string): WrittenDate | undefined {
  return parseMachineDate(text) ?? parseTextDate(text, 'day-first')
}

/** A field that may hold HTML, as one line of escaped markdown. */
function plainText(field: string, url: string): string {
  const text = collapse(field)
  if (text === '') return ''
  if (!/[<&]/.test(text)) return escapeInline(text, false)
  return collapse(
    extractHtml(`<p>${text}`, { url }).markdown.replace(/!?\[([^[\]]{0,300})\]\([^()\s]{0,2000}\)/g, '$1'),
  )
}

class FeedReader {
  isFeed = false
  isHtml = false
  lang = ''
  readonly head: Entry = { title: '', link: '', summary: '', date: '' }
  readonly entries: Entry[] = []
  private entry: Entry | undefined
  private field: keyof Entry | undefined
  private fieldDepth = 0
  private depth = 0
  private done = false

  read(source: string): void {
    const parser = new Parser(
      {
        onopentag: (name, attributes) => this.open(name.toLowerCase(), attributes),
        onclosetag: name => this.close(name.toLowerCase()),
        ontext: text => this.text(text),
      },
      { xmlMode: true, lowerCaseAttributeNames: true },
    )
    for (let at = 0; at < source.length && !this.done; at += 65_536) parser.write(source.slice(at, at + 65_536))
    // Not ended: what an unclosed feed has given so far is what there is.
  }

  private open(tag: string, attributes: Record<string, string>): void {
    this.depth++
    if (this.depth === 1) {
      this.isHtml = tag === 'html'
      this.isFeed = tag === 'rss' || tag === 'feed' || tag === 'rdf:rdf'
      this.lang = (attributes['xml:lang'] ?? '').slice(0, 35)
      this.done = !this.isFeed
    }
    if (this.depth > MAX_DEPTH || this.entries.length >= MAX_ENTRIES) this.done = true
    if (this.done || this.field !== undefined) return
    if (entryTags.has(tag)) {
      this.entry = { title: '', link: '', summary: '', date: '' }
      this.entries.push(this.entry)
      return
    }
    const field = fieldOfTag.get(tag)
    const target = this.entry ?? this.head
    if (!field || target[field] !== '') return
    if (field === 'link' && attributes.href !== undefined) {
      if ((attributes.rel ?? 'alternate') === 'alternate') target.link = attributes.href.slice(0, MAX_FIELD_CHARS)
      return
    }
    this.field = field
    this.fieldDepth = this.depth
  }

  private text(text: string): void {
    if (this.field === undefined || this.done) return
    const target = this.entry ?? this.head
    if (target[this.field].length < MAX_FIELD_CHARS) target[this.field] += text.slice(0, MAX_FIELD_CHARS)
  }

  private close(tag: string): void {
    if (this.field !== undefined && this.depth === this.fieldDepth) this.field = undefined
    if (entryTags.has(tag)) this.entry = undefined
    this.depth--
  }
}
