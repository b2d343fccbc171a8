import { type ExtractedPage, type ExtractOptions, isAsofError, type Refresh } from '@asof/core'
import { plainText } from '@asof/core/internal'
import { parseRefresh } from '@asof/extract/internal'
import type { CorpusFields } from '../corpus/corpus-fields.ts'
import { tryNormalize } from '../discovery/page-url.ts'
import type { FetchedPage } from '../fetch/fetcher.ts'
import type { OriginRules } from '../politeness/origin-rules.ts'
import type { Renderer } from '../rendering/renderer.ts'
import { isHtml, needsRendering } from '../rendering/script-shell.ts'
import type { CrawlTally } from '../report/crawl-tally.ts'
import { isUnavailable } from './unavailable-after.ts'
import { parseRobotsTag } from './x-robots-tag.ts'

/** Extracts the content of a page from its bytes. */
export type ExtractPage = (bytes: Uint8Array, options: ExtractOptions) => Promise<ExtractedPage>

/** What a fetched page says, in its header and in its content. */
export interface ReadPage {
  extracted: ExtractedPage
  /** The normalized URL to which the page refreshes itself, if it does. */
  refreshUrl: string | undefined
  /** The same URL, if the page only says that it was moved there. */
  movedTo: string | undefined
  /** True if the page has no text. */
  isEmpty: boolean
  /** True if no link of the page must be followed. */
  nofollow: boolean
  /** True if the page must not be in the index, or no longer. */
  noindex: boolean
}

interface Parts {
  extract: ExtractPage
  /** The field rules of the corpus, if it has any. */
  fields: CorpusFields | undefined
  /** Renders all pages, or those that need it. Undefined if no page is rendered. */
  rendering: { renderer: Renderer; all: boolean } | undefined
  /** The rules of robots.txt. They also apply to requests of a rendered page to its own site. */
  rules: OriginRules
  tally: CrawlTally
  /** The crawler's product token, for X-Robots-Tag. */
  productToken: string
}

/** Longest time of a refresh that counts as a redirect, s. Readers of a page with a longer one are meant to read it. */
const MAX_REFRESH_SECONDS = 10
/** Longest text of a page that only leads to another one, UTF-16 units. A longer one is a page of its own with a link. */
const MAX_STUB_UNITS = 300
/** Length of the start of a page that shows whether the page has a text. Only the addresses of pictures and links may be longer. */
const LOOKED_AT_UNITS = 50_000

/** Extracts fetched pages, and renders those that need it. */
export class PageExtraction {
  readonly #extract: ExtractPage
  readonly #fields: CorpusFields | undefined
  readonly #rendering: { renderer: Renderer; all: boolean } | undefined
  readonly #rules: OriginRules
  readonly #tally: CrawlTally
  readonly #productToken: string

  constructor({ extract, fields, rendering, rules, tally, productToken }: Parts) {
    this.#extract = extract
    this.#fields = fields
    this.#rendering = rendering
    this.#rules = rules
    this.#tally = tally
    this.#productToken = productToken
  }

  /** @param nowAt - epoch ms. */
  async read(page: FetchedPage, nowAt: number): Promise<ReadPage> {
    const extracted = await this.#extractOrRender(page, nowAt)
    const header = parseRobotsTag(page.headers['x-robots-tag'], this.#productToken)
    const { robots } = extracted
    const refresh = refreshOf(page, extracted)
    const units = textUnits(extracted)
    const isStub = units <= MAX_STUB_UNITS && (refresh?.seconds ?? 0) <= MAX_REFRESH_SECONDS
    const dates = [header.unavailableAfter, robots.unavailableAfter]
    return {
      extracted,
      refreshUrl: refresh?.url,
      movedTo: isStub ? refresh?.url : undefined,
      isEmpty: units === 0,
      nofollow: header.nofollow || robots.nofollow,
      noindex: header.noindex || robots.noindex || dates.some(date => isUnavailable(date, nowAt)),
    }
  }

  async #extractOrRender(page: FetchedPage, nowAt: number): Promise<ExtractedPage> {
    const { url, contentType } = page
    const options = { url, latestAt: nowAt, contentType, fields: this.#fields?.rules }
    const extracted = await this.#extract(page.body, options)
    const rendering = this.#rendering
    if (!rendering || !(rendering.all ? isHtml(page) : needsRendering(page, extracted))) return extracted
    try {
      const html = await rendering.renderer.render(page, asked => this.#mayAsk(url, asked))
      const rendered = await this.#extract(html, { ...options, contentType: 'text/html; charset=utf-8' })
      this.#tally.countRendering(true)
      return rendered
    } catch (error) {
      if (!isAsofError(error)) throw error
      this.#tally.countRendering(false)
      return extracted
    }
  }

  /**
   * True if a script of the page may send a request. On the page's own site robots.txt decides. For other sites only
   * the address guard applies.
   */
  #mayAsk(pageUrl: string, asked: URL): boolean {
    if (asked.origin !== new URL(pageUrl).origin) return true
    return this.#rules.peek(asked)?.allows(asked.href) ?? false
  }
}

/** Returns the refresh in the header `Refresh` or in a page, with a normalized URL. */
function refreshOf({ url, headers }: FetchedPage, { refresh }: ExtractedPage): Refresh | undefined {
  const inHeader = parseRefresh(headers.refresh ?? '')
  const target = inHeader ? URL.parse(inHeader.reference, url)?.href : refresh?.url
  const normal = target === undefined ? undefined : tryNormalize(target)
  return normal === undefined ? undefined : { url: normal, seconds: (inHeader ?? refresh)?.seconds ?? 0 }
}

/** Returns the number of UTF-16 units in the text of a page, without its markup. Of a long page, only the start counts. */
function textUnits({ markdown }: ExtractedPage): number {
  const start = plainText(markdown.slice(0, LOOKED_AT_UNITS)).trim().length
  return start > 0 || markdown.length <= LOOKED_AT_UNITS ? start : plainText(markdown).trim().length
}
