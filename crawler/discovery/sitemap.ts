import { setImmediate as nextTurn } from 'node:timers/promises'
import zlib from 'node:zlib'
import { codeOf } from '@asof/extract/errors'
import { CharsetDecoder } from '@asof/extract/internal'
import { Parser } from 'htmlparser2'
import { parseFeedDate } from './feed-date.ts'
import { httpUrl } from './http-url.ts'
import { JsonFeedReader } from './json-feed.ts'
import type { Sitemap, SitemapEntry } from './sitemap-entry.ts'

/** Maximum number of entries in a sitemap, according to the sitemap protocol. */
export const MAX_SITEMAP_ENTRIES = 50_000
/** Maximum size of an uncompressed sitemap, according to the sitemap protocol: 50 MiB. */
export const MAX_SITEMAP_BYTES = 50 * 1024 * 1024

/**
 * Parses a sitemap, a sitemap index, a plain list of URLs, or an RSS, Atom or JSON feed, gzipped or not. Only the content
 * shows which one it is. Any bytes are valid input. Leaves out entries that are not http(s) URLs. Never reads external
 * entities.
 *
 * @param fileUrl - URL of the file, the base of relative URLs. Default: these are left out.
 */
export async function parseSitemap(bytes: Uint8Array, fileUrl?: string): Promise<Sitemap> {
  const decoder = new CharsetDecoder(encodingOf(bytes))
  let reader: XmlReader | TextReader | JsonFeedReader | undefined
  let read = 0
  let truncated = false
  try {
    for await (const chunk of decompress(bytes)) {
      read += chunk.length
      truncated = read > MAX_SITEMAP_BYTES
      const text = decoder.decode(truncated ? chunk.subarray(0, chunk.length - (read - MAX_SITEMAP_BYTES)) : chunk, {
        stream: true,
      })
      if (reader) reader.write(text)
      else {
        const start = text.trimStart()
        if (start !== '') {
          reader = start.startsWith('<')
            ? new XmlReader(fileUrl)
            : start.startsWith('{')
              ? new JsonFeedReader(fileUrl, MAX_SITEMAP_ENTRIES)
              : new TextReader()
          reader.write(start)
        } else if (read > MAX_LEADING_SPACE_BYTES) break
      }
      if (truncated || reader?.full) break
    }
  } catch (error) {
    // The gzip stream is broken, but entries before that point are valid.
    if (!isZlibError(error)) throw error
    truncated = true
  }
  if (!reader) return { kind: 'unknown', entries: [], truncated }
  reader.end()
  return { kind: reader.kind, entries: reader.entries, truncated: truncated || reader.full }
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}

const SLICE_BYTES = 64 * 1024
/** Maximum white space at the start of a sitemap, bytes. */
const MAX_LEADING_SPACE_BYTES = 64 * 1024

async function* decompress(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const gunzip = zlib.createGunzip({ chunkSize: SLICE_BYTES })
    gunzip.end(bytes)
    yield* gunzip
  } else {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      // Other work may run between two slices.
      await nextTurn()
      yield bytes.subarray(at, at + SLICE_BYTES)
    }
  }
}

function isZlibError(error: unknown): boolean {
  return codeOf(error)?.startsWith('Z_') ?? false
}

/** Reads a plain list with one URL per line. */
class TextReader {
  readonly entries: SitemapEntry[] = []
  #rest = ''

  get kind(): Sitemap['kind'] {
    return this.entries.length > 0 ? 'text' : 'unknown'
  }

  get full(): boolean {
    return this.entries.length >= MAX_SITEMAP_ENTRIES
  }

  write(text: string): void {
    const lines = (this.#rest + text).split('\n')
    const last = lines.pop() ?? ''
    // No URL is so long. Without this limit, a file with a single line would be copied for every slice.
    this.#rest = last.length > SLICE_BYTES ? '' : last
    for (const line of lines) this.#readLine(line)
  }

  end(): void {
    this.#readLine(this.#rest)
  }

  #readLine(line: string): void {
    const url = this.full ? undefined : httpUrl(line)
    if (url !== undefined) this.entries.push({ url })
  }
}

const kinds: Record<string, Sitemap['kind']> = {
  urlset: 'urlset',
  sitemapindex: 'index',
  feed: 'feed',
  rss: 'feed',
  rdf: 'feed',
}
const itemNames: Record<string, Set<string>> = {
  // Some sites mix <sitemap> with <url> elements.
  urlset: new Set(['url', 'sitemap']),
  index: new Set(['sitemap']),
  feed: new Set(['entry', 'item']),
}
const dateNames = new Set(['lastmod', 'updated', 'pubDate', 'published'])
/** Matches the date of Dublin Core, with whatever prefix. */
const dublinCoreDate = /^[\w.-]+:date$/
type Field = 'url' | 'guid' | 'date' | 'priority'
const MAX_FIELD_CHARS = 8192
const MAX_TRANSLATIONS = 100
// Maximum number of open elements, because the parser's work for each tag grows with it. Real files have five; broken
// files that never close their items have a few hundred.
const MAX_DEPTH = 1000
/**
 * Maximum number of attributes of a tag, because the parser keeps them until the end of the tag. Real tags have ten.
 */
const MAX_ATTRIBUTES = 1000

/**
 * Reads sitemaps and feeds in XML. Elements of other namespaces (image, video, news) may also be named `loc`, but do
 * not lead to pages. So only elements with the prefix of the root element count; in an RDF feed, with that of its channel
 * or of its first item.
 */
class XmlReader {
  readonly entries: SitemapEntry[] = []
  kind: Sitemap['kind'] = 'unknown'
  #prefix = ''
  #isRdf = false
  /** The bases of relative URLs (XML Base), from the file to the innermost element with one. */
  readonly #bases: { depth: number; url: string | undefined }[]
  #inItem = false
  /** The URL of an item without a link: its permanent link, or its name in RDF. */
  #fallback: string | undefined
  /** True if the entry has a link to something that is not HTML, before which a link to HTML counts. */
  #isOtherType = false
  #isSitemap = false
  #field: Field | undefined
  #fieldName = ''
  #text = ''
  #bare = ''
  #entry: SitemapEntry | undefined
  #pendingDate: number | undefined
  #depth = 0
  #attributes = 0
  #isOverLimit = false
  readonly #parser: Parser

  constructor(fileUrl: string | undefined) {
    this.#bases = [{ depth: 0, url: fileUrl }]
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => {
          this.#attributes = 0
          this.#isOverLimit ||= ++this.#depth > MAX_DEPTH
          this.#open(name, attributes)
        },
        onattribute: () => {
          this.#isOverLimit ||= ++this.#attributes > MAX_ATTRIBUTES
        },
        ontext: text => this.#onText(text),
        onclosetag: name => {
          this.#close(name)
          if (this.#bases.at(-1)?.depth === this.#depth && this.#bases.length > 1) this.#bases.pop()
          this.#depth--
        },
      },
      { xmlMode: true, decodeEntities: true },
    )
  }

  get full(): boolean {
    return this.#isOverLimit || this.entries.length >= MAX_SITEMAP_ENTRIES
  }

  write(text: string): void {
    this.#parser.write(text)
  }

  end(): void {
    this.#parser.end()
  }

  #open(name: string, attributes: Record<string, string>): void {
    const base = attributes['xml:base']
    if (base !== undefined) this.#bases.push({ depth: this.#depth, url: httpUrl(base, this.#base) ?? this.#base })
    if (this.kind === 'unknown') {
      const local = name.slice(name.indexOf(':') + 1)
      const kind = kinds[local.toLowerCase()]
      if (!kind) return
      this.kind = kind
      this.#isRdf = local.toLowerCase() === 'rdf'
      if (!this.#isRdf) this.#prefix = name.slice(0, name.length - local.length)
      return
    }
    if (this.#isRdf && /(?:^|:)(?:channel|item)$/.test(name)) this.#prefix = name.slice(0, name.lastIndexOf(':') + 1)
    const own = this.#ownName(name)
    if (own !== undefined && itemNames[this.kind]?.has(own)) {
      this.#inItem = true
      this.#isSitemap = own === 'sitemap'
      this.#entry = undefined
      this.#pendingDate = undefined
      this.#bare = ''
      this.#isOtherType = false
      const about = Object.entries(attributes).find(([key]) => key.endsWith(':about'))?.[1]
      this.#fallback = about === undefined ? undefined : httpUrl(about, this.#base)
      return
    }
    if (!this.#inItem || this.#field) return
    if (own === 'link' && this.kind === 'feed' && attributes.href !== undefined) {
      if (attributes.rel === undefined || attributes.rel === 'alternate') this.#pushAlternate(attributes)
    } else if (own === 'loc' || (own === 'link' && this.kind === 'feed' && !this.#entry)) this.#begin('url', name)
    else if (own === 'guid' && this.kind === 'feed') {
      if ((attributes.isPermaLink ?? 'true').trim().toLowerCase() !== 'false') this.#begin('guid', name)
    } else if (dateNames.has(own ?? '') || dublinCoreDate.test(name)) this.#begin('date', name)
    else if (own === 'priority') this.#begin('priority', name)
    else if (name === 'xhtml:link' && attributes.rel === 'alternate' && attributes.href !== undefined)
      this.#pushTranslation(attributes.href)
  }

  #onText(text: string): void {
    if (!this.#inItem) return
    if (this.#field) {
      if (this.#text.length < MAX_FIELD_CHARS) this.#text += text
    } else if (this.kind === 'index' && this.#bare.length < MAX_FIELD_CHARS) this.#bare += text
  }

  #close(name: string): void {
    if (this.#field && name === this.#fieldName) {
      if (this.#field === 'url') this.#push(this.#text)
      else if (this.#field === 'guid') this.#fallback = httpUrl(this.#text) ?? this.#fallback
      else if (this.#field === 'date') this.#date(this.#text)
      else this.#priority(this.#text)
      this.#field = undefined
      this.#text = ''
    } else if (this.#inItem && itemNames[this.kind]?.has(this.#ownName(name) ?? '')) {
      // Some sites write a URL directly into <sitemap>, without <loc>.
      if (!this.#entry && this.#bare !== '') this.#push(this.#bare)
      if (!this.#entry && this.#fallback !== undefined) this.#push(this.#fallback)
      this.#inItem = false
    }
  }

  #begin(field: Field, name: string): void {
    this.#field = field
    this.#fieldName = name
    this.#text = ''
  }

  #push(text: string): void {
    if (this.full) return
    const url = httpUrl(text, this.#base)
    if (url === undefined) return
    this.#entry = this.#isSitemap ? { url, isSitemap: true } : { url }
    if (this.#pendingDate !== undefined) this.#entry.lastmodAt = this.#pendingDate
    this.#pendingDate = undefined
    this.entries.push(this.#entry)
  }

  /** Adds the page of an Atom entry: its first `alternate` link, or the first to HTML if that leads to another type. */
  #pushAlternate({ href = '', type = 'text/html' }: Record<string, string>): void {
    const isHtml = /html/i.test(type)
    if (!this.#entry) {
      this.#push(href)
      this.#isOtherType = !isHtml
    } else if (this.#isOtherType && isHtml) {
      this.#entry.url = httpUrl(href, this.#base) ?? this.#entry.url
      this.#isOtherType = false
    }
  }

  get #base(): string | undefined {
    return this.#bases.at(-1)?.url
  }

  #pushTranslation(text: string): void {
    const url = httpUrl(text, this.#base)
    if (!this.#entry || url === undefined || url === this.#entry.url) return
    this.#entry.translations ??= []
    if (this.#entry.translations.length < MAX_TRANSLATIONS) this.#entry.translations.push(url)
  }

  #priority(text: string): void {
    const value = /^\s*(?:0?\.\d+|[01](?:\.\d*)?)\s*$/.test(text) ? Number(text) : Number.NaN
    if (this.#entry && value <= 1) this.#entry.priority = value
  }

  #date(text: string): void {
    const at = parseFeedDate(text)
    if (at === undefined) return
    if (!this.#entry) this.#pendingDate ??= at
    else this.#entry.lastmodAt ??= at
  }

  #ownName(name: string): string | undefined {
    if (this.#prefix === '') return name.includes(':') ? undefined : name
    return name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : undefined
  }
}
