import type { ExtractedPage } from './extracted-page.ts'
import { type FeedEntry, feedListing, MAX_FEED_ENTRIES } from './feed-listing.ts'
import { readXml } from './html/xml-reader.ts'
import { extractHtml } from './html-page.ts'

const MAX_FIELD_CHARS = 20_000

const entryTags = new Set(['item', 'entry'])
const fieldOfTag = new Map<string, keyof FeedEntry>([
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

/** Extracts an XML body. An RSS or Atom feed becomes a list of its entries. XHTML and other XML is read as HTML. */
export function extractFeed(source: string, options: { url: string; latestAt?: number }): ExtractedPage {
  const reader = new FeedReader()
  reader.read(source)
  if (reader.isHtml || !reader.isFeed) return extractHtml(source, options)
  return feedListing(reader, options.url)
}

class FeedReader {
  isFeed = false
  isHtml = false
  lang = ''
  readonly head: FeedEntry = { title: '', link: '', summary: '', date: '' }
  readonly entries: FeedEntry[] = []
  #entry: FeedEntry | undefined
  #field: keyof FeedEntry | undefined
  #fieldDepth = 0
  #depth = 0
  #done = false

  read(source: string): void {
    readXml(source, {
      open: (name, attributes) => {
        this.#open(name, attributes)
        return !this.#done
      },
      close: name => this.#close(name),
      text: text => this.#text(text),
    })
  }

  #open(tag: string, attributes: Record<string, string>): void {
    this.#depth++
    if (this.#depth === 1) {
      this.isHtml = tag === 'html'
      this.isFeed = tag === 'rss' || tag === 'feed' || tag === 'rdf:rdf'
      this.lang = (attributes['xml:lang'] ?? '').slice(0, 35)
      this.#done = !this.isFeed
    }
    if (this.entries.length >= MAX_FEED_ENTRIES) this.#done = true
    if (this.#done || this.#field !== undefined) return
    if (entryTags.has(tag)) {
      this.#entry = { title: '', link: '', summary: '', date: '' }
      this.entries.push(this.#entry)
      return
    }
    const field = fieldOfTag.get(tag)
    const target = this.#entry ?? this.head
    if (!field || target[field] !== '') return
    if (field === 'link' && attributes.href !== undefined) {
      if ((attributes.rel ?? 'alternate') === 'alternate') target.link = attributes.href.slice(0, MAX_FIELD_CHARS)
      return
    }
    this.#field = field
    this.#fieldDepth = this.#depth
  }

  #text(text: string): void {
    if (this.#field === undefined || this.#done) return
    const target = this.#entry ?? this.head
    if (target[this.#field].length < MAX_FIELD_CHARS) target[this.#field] += text.slice(0, MAX_FIELD_CHARS)
  }

  #close(tag: string): void {
    if (this.#field !== undefined && this.#depth === this.#fieldDepth) this.#field = undefined
    if (entryTags.has(tag)) this.#entry = undefined
    this.#depth--
  }
}
