import { type Feed, type FeedEntry, MAX_FEED_ENTRIES } from './feed-listing.ts'
import { kindOf } from './html/element-kinds.ts'
import { readXml } from './html/xml-reader.ts'

const MAX_FIELD_CHARS = 20_000

const entryTags = new Set(['item', 'entry'])
/** Elements of XHTML in a feed that are no text. */
const unseenTags = /^(?:[\w.-]+:)?(?:script|style)$/
/** Elements of XHTML that change what a text says. */
const shownTags = new Set(['sup', 'sub', 'br', 'q', 'code'])
const fieldOfTag = new Map<string, keyof ReadEntry>([
  ['title', 'title'],
  ['link', 'link'],
  ['guid', 'guid'],
  ['description', 'summary'],
  ['summary', 'summary'],
  ['subtitle', 'summary'],
  ['tagline', 'summary'],
  ['info', 'summary'],
  ['dc:title', 'otherTitle'],
  ['media:title', 'otherTitle'],
  ['itunes:title', 'otherTitle'],
  ['content', 'content'],
  ['content:encoded', 'content'],
  ['dc:description', 'content'],
  ['media:description', 'content'],
  ['itunes:summary', 'content'],
  ['itunes:subtitle', 'content'],
  ['body', 'content'],
  ['xhtml:body', 'content'],
  ['pubdate', 'date'],
  ['published', 'date'],
  ['issued', 'date'],
])

/** The namespaces of RSS 0.9, RSS 1.0 and Atom. A feed may give them any prefix. */
const feedNamespaces = new Set([
  'http://channel.netscape.com/rdf/simple/0.9/',
  'http://my.netscape.com/rdf/simple/0.9/',
  'http://purl.org/rss/1.0/',
  'http://purl.org/atom/ns#',
  'http://www.w3.org/2005/Atom',
])
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'

/** A feed or an entry while it is read. */
interface ReadEntry extends FeedEntry {
  /** A title in another vocabulary, which counts if there is no title. */
  otherTitle: string
  /** The whole content, or a description in another vocabulary, which counts if there is no summary. */
  content: string
  /** The permanent link of an item (RSS 2.0), or its name (RDF), which counts if there is no link. */
  guid: string
  /** The URL of content that is not in the feed (RFC 4287, 4.1.3.2). It counts if there is no link. */
  source: string
}

/**
 * Reads an RSS or Atom feed. Returns undefined for other XML, and for a feed without title, summary and entries.
 *
 * @param url - of the feed, against which its links are resolved.
 */
export function readFeed(source: string, url: string): Feed | undefined {
  const reader = new FeedReader(url)
  reader.read(source)
  complete(reader.head)
  const isEmpty = reader.entries.length === 0 && reader.head.title === '' && reader.head.summary === ''
  return reader.isFeed && !isEmpty ? reader : undefined
}

class FeedReader {
  isFeed = false
  lang = ''
  readonly head = emptyEntry()
  readonly entries: ReadEntry[] = []
  /** The prefixes of elements in the namespaces of feeds. Any element may declare them. */
  readonly #prefixes = new Set<string>()
  #entry: ReadEntry | undefined
  #field: keyof ReadEntry | undefined
  #fieldDepth = 0
  /** True while an Atom field of the type `xhtml` is read, whose markup is XML of the feed itself. */
  #isXhtml = false
  /** True while a field without markup is read. */
  #isText = false
  #isAtom = false
  /** The depth of the script or style in the field that is read. */
  #unseenDepth = 0
  #depth = 0
  #done = false
  /** The bases of relative URLs (XML Base), from the feed to the innermost element with one. */
  readonly #bases: { depth: number; url: string }[]

  constructor(url: string) {
    this.#bases = [{ depth: 0, url }]
  }

  read(source: string): void {
    readXml(source, {
      open: (name, attributes) => {
        for (const prefix of prefixesIn(attributes)) this.#prefixes.add(prefix)
        this.#open(this.#plainName(name), attributes)
        return !this.#done
      },
      close: name => this.#close(this.#plainName(name)),
      text: text => this.#text(text),
    })
  }

  #open(tag: string, attributes: Record<string, string>): void {
    this.#depth++
    if (this.#depth === 1) {
      this.isFeed = tag === 'rss' || tag === 'feed' || tag === 'rdf:rdf' || (/:rdf$/.test(tag) && isRdf(attributes))
      this.#isAtom = tag === 'feed'
      this.lang = (attributes['xml:lang'] ?? '').slice(0, 35)
      this.#done = !this.isFeed
    }
    if (this.entries.length >= MAX_FEED_ENTRIES) this.#done = true
    if (this.#unseenDepth === 0 && unseenTags.test(tag)) this.#unseenDepth = this.#depth
    const base = attributes['xml:base']
    if (base !== undefined) this.#bases.push({ depth: this.#depth, url: this.#resolved(base) })
    if (this.#field !== undefined && this.#isXhtml && this.#unseenDepth === 0 && shownTags.has(tag))
      this.#append(`<${tag}>`)
    if (this.#done || this.#field !== undefined) return
    if (entryTags.has(tag)) {
      this.#entry = emptyEntry()
      this.#entry.guid = Object.entries(attributes).find(([name]) => name.endsWith(':about'))?.[1] ?? ''
      this.entries.push(this.#entry)
      return
    }
    const field = tag.endsWith(':date') ? 'date' : fieldOfTag.get(tag)
    const target = this.#entry ?? this.head
    if (!field || target[field] !== '') return
    if (field === 'guid' && attributes.ispermalink?.trim().toLowerCase() === 'false') return
    if (field === 'link' && attributes.href !== undefined) {
      if (/^(?:.*\/)?alternate$/i.test((attributes.rel || 'alternate').trim()))
        target.link = this.#resolved(attributes.href.slice(0, MAX_FIELD_CHARS))
      return
    }
    if (field === 'content' && attributes.src !== undefined) {
      if (!/^(?:audio|image|video)\//i.test(attributes.type ?? ''))
        target.source ||= this.#resolved(attributes.src.slice(0, MAX_FIELD_CHARS))
      return
    }
    this.#field = field
    this.#fieldDepth = this.#depth
    this.#isXhtml = attributes.type === 'xhtml'
    // A field without markup is escaped, because fields are read as HTML later.
    this.#isText = this.#isXhtml || (this.#isAtom && field === 'title' && (attributes.type ?? 'text') === 'text')
  }

  #text(text: string): void {
    if (this.#field === undefined || this.#done || this.#unseenDepth > 0) return
    const part = text.slice(0, MAX_FIELD_CHARS)
    this.#append(this.#isText ? part.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : part)
  }

  #append(text: string): void {
    if (this.#field === undefined) return
    const target = this.#entry ?? this.head
    if (target[this.#field].length < MAX_FIELD_CHARS) target[this.#field] += text
  }

  #close(tag: string): void {
    if (this.#depth === this.#unseenDepth) this.#unseenDepth = 0
    if (this.#field !== undefined && this.#depth === this.#fieldDepth) this.#closeField(this.#field)
    else if (this.#isXhtml && this.#unseenDepth === 0 && shownTags.has(tag) && tag !== 'br') this.#append(`</${tag}>`)
    else if (kindOf(tag).isBlock) this.#text(' ')
    const entry = this.#entry
    if (entry && entryTags.has(tag)) {
      complete(entry)
      this.#entry = undefined
    }
    if (this.#bases.length > 1 && this.#bases.at(-1)?.depth === this.#depth) this.#bases.pop()
    this.#depth--
  }

  #closeField(field: keyof ReadEntry): void {
    const target = this.#entry ?? this.head
    if (field === 'link' && target.link.trim() !== '') target.link = this.#resolved(target.link.trim())
    this.#field = undefined
    this.#isXhtml = false
    this.#isText = false
  }

  #resolved(reference: string): string {
    return URL.parse(reference.trim(), this.#bases.at(-1)?.url)?.href ?? reference
  }

  /** Returns a name without a prefix of the feed. */
  #plainName(name: string): string {
    const colon = name.indexOf(':')
    return colon > 0 && this.#prefixes.has(name.slice(0, colon)) ? name.slice(colon + 1) : name
  }
}

function emptyEntry(): ReadEntry {
  return { title: '', link: '', summary: '', date: '', otherTitle: '', content: '', guid: '', source: '' }
}

function complete(entry: ReadEntry): void {
  entry.title ||= entry.otherTitle
  entry.summary ||= entry.content
  const guid = entry.guid.trim()
  entry.link ||= entry.source
  if (entry.link === '' && /^https?:/i.test(guid)) entry.link = guid
}

function prefixesIn(attributes: Readonly<Record<string, string>>): Set<string> {
  const declared = Object.entries(attributes).filter(
    ([name, uri]) => name.startsWith('xmlns:') && feedNamespaces.has(uri),
  )
  return new Set(declared.map(([name]) => name.slice('xmlns:'.length)))
}

function isRdf(attributes: Readonly<Record<string, string>>): boolean {
  return Object.values(attributes).includes(RDF)
}
