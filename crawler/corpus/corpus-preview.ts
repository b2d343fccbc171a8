import { extract, type FieldType, type FieldValue, isAsofError, type PageLink } from '@asof/core'
import { messageWithSaid, optionsIn, optionsReader } from '@asof/extract/errors'
import { parseFieldRules } from '@asof/extract/internal'
import { tryNormalize } from '../discovery/page-url.ts'
import { Scope } from '../discovery/scope.ts'
import { MAX_SITEMAP_BYTES, parseSitemap } from '../discovery/sitemap.ts'
import { type FetchedPage, Fetcher, type FetcherOptions, fetcherOptionKinds } from '../fetch/fetcher.ts'
import { OriginRules } from '../politeness/origin-rules.ts'
import { Politeness } from '../politeness/politeness.ts'
import { productToken } from '../politeness/product-token.ts'
import { tooManyWildcards } from '../politeness/robots.ts'
import { RobotsCache } from '../politeness/robots-cache.ts'
import { Semaphore } from '../politeness/semaphore.ts'
import { systemTimers } from '../timers.ts'
import { type Corpus, type CorpusInput, parseCorpus } from './corpus.ts'
import { corpusPoliteness, corpusRequests, userAgentOf } from './corpus-requests.ts'

/** What a crawl of the corpus would fetch first. */
export interface CorpusPreview {
  /** Name of the corpus. */
  name: string
  seeds: SeedPreview[]
  sitemaps: SitemapPreview[]
  /** Number of distinct URLs in scope that were found. A crawl may fetch more, up to its page limit. */
  pages: number
  /** Estimated time for fetching these URLs with the pauses of robots.txt and of the corpus, ms. */
  durationMs: number
}

/** A seed of a corpus, and what a crawl would find there. */
export interface SeedPreview {
  url: string
  /**
   * `fetched`: a crawl would fetch the seed. `robots`: robots.txt forbids it. `outside`: it is outside of the scope.
   * `unread`: it could not be fetched now.
   */
  verdict: 'fetched' | 'robots' | 'outside' | 'unread'
  /** Code and message of the error, if the seed could not be read. */
  error?: string
  /** Pause between two requests to the host of the seed, ms. */
  delayMs: number
  /** Number of links on the page. */
  links: number
  /** Number of distinct URLs in scope among the seed and its links. */
  inScope: number
  /** Up to five URLs in scope. */
  examples: string[]
  /** The fields of the corpus, as this page has them. Absent if the corpus has none or the seed was not fetched. */
  fields?: FieldPreview[]
}

/** A field of a corpus, with its type and what was found on a page. */
export interface FieldPreview {
  name: string
  type: FieldType
  /** Absent if the page has no value of this type. */
  value?: FieldValue
}

/** A sitemap of a corpus, and which of its URLs a crawl would fetch. */
export interface SitemapPreview {
  url: string
  /** Number of page URLs that the file lists. */
  pages: number
  /** Number of distinct URLs in scope among the listed ones. */
  inScope: number
  /** Up to five URLs in scope. */
  examples: string[]
  /** Code and message of the error, if the file could not be read. */
  error?: string
  /** The fields of up to three pages in scope that the file lists. Absent if the corpus has no fields or no page was requested. */
  tried?: TriedPage[]
}

/** A page of a sitemap that was fetched to see the fields of the corpus on it. */
export interface TriedPage {
  url: string
  /** Absent if the page could not be read. */
  fields?: FieldPreview[]
  /** Why the page could not be read. */
  error?: string
}

/** How the requests of a preview are sent, and a signal that stops them. */
export interface PreviewOptions extends FetcherOptions {
  /** Stops the preview between two requests. */
  signal?: AbortSignal
}

const readPreviewOptions = optionsReader<PreviewOptions>({ ...fetcherOptionKinds, signal: 'signal' })

const MAX_SEEDS = 20
const MAX_SITEMAPS = 50
const EXAMPLES_SHOWN = 5
/** Maximum number of pages of sitemaps that are fetched to see their fields. */
const MAX_TRIED = 10
const neverStops = new AbortController().signal

/**
 * Makes a dry run of a crawl: requests the robots.txt files, sitemaps and seeds of a corpus, with the pauses of a
 * crawl, and reports what the crawl would fetch. Stores nothing. Reads at most 20 seeds, and at most 50 sitemaps and
 * feeds. If the corpus has fields, it also reads up to three pages of each sitemap, at most 10 in all.
 *
 * @throws ASOF_CORPUS_INVALID
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
 */
export async function previewCorpus(definition: CorpusInput, given?: PreviewOptions): Promise<CorpusPreview> {
  const options = readPreviewOptions(given)
  const corpus = parseCorpus(definition)
  const userAgent = options.userAgent ?? userAgentOf(corpus)
  const fetcher = new Fetcher({
    ...corpusRequests(corpus),
    ...optionsIn<FetcherOptions>(options, fetcherOptionKinds),
    userAgent,
  })
  try {
    return await new Preview(corpus, fetcher, { ...options, userAgent }).make()
  } finally {
    await fetcher.close()
  }
}

class Preview {
  readonly #corpus: Corpus
  readonly #fetcher: Fetcher
  readonly #stop: AbortSignal
  readonly #scope: Scope
  readonly #politeness: Politeness
  readonly #rules: OriginRules
  readonly #delayMs: number
  readonly #pages = new Set<string>()
  readonly #sitemaps = new Map<string, SitemapPreview>()
  /** For each sitemap with pages in scope, the pages on which fields are tried: the first, the last and the one in the middle. */
  readonly #samples = new Map<SitemapPreview, string[]>()

  constructor(corpus: Corpus, fetcher: Fetcher, options: PreviewOptions & { userAgent: string }) {
    const timers = systemTimers(options.now)
    this.#corpus = corpus
    this.#fetcher = fetcher
    this.#stop = options.signal ?? neverStops
    this.#scope = new Scope(corpus, timers.now)
    const politeness = corpusPoliteness(corpus)
    this.#delayMs = politeness.delayMs ?? 1000
    this.#politeness = new Politeness(timers, new Semaphore(1), politeness)
    const robots = new RobotsCache(fetcher, timers.now, productToken(options.userAgent))
    this.#rules = new OriginRules(robots, this.#politeness, this.#stop)
  }

  async make(): Promise<CorpusPreview> {
    const { seeds, sitemaps = [], feeds = [] } = this.#corpus
    const previews: SeedPreview[] = []
    for (const seed of seeds.slice(0, MAX_SEEDS)) if (!this.#stop.aborted) previews.push(await this.#seed(seed))
    for (const file of [...sitemaps, ...feeds]) await this.#sitemap(file)
    await this.#tryFields(new Set(seeds))
    const limit = this.#corpus.maxPages ?? Number.POSITIVE_INFINITY
    return {
      name: this.#corpus.name,
      seeds: previews,
      sitemaps: [...this.#sitemaps.values()],
      pages: this.#pages.size,
      durationMs: this.#durationMs(previews, limit),
    }
  }

  async #seed(url: string): Promise<SeedPreview> {
    const target = new URL(url)
    const preview: SeedPreview = { url, verdict: 'fetched', delayMs: this.#delayMs, links: 0, inScope: 0, examples: [] }
    if (!this.#scope.includes(url)) return { ...preview, verdict: 'outside' }
    try {
      const answer = await this.#rules.of(target)
      if (answer?.unreachable) throw answer.unreachable
      const askedMs = Math.min((answer?.crawlDelay ?? 0) * 1000, 60_000)
      preview.delayMs = Math.max(preview.delayMs, askedMs)
      for (const file of answer?.sitemaps ?? []) await this.#sitemap(file)
      if (!answer?.allows(url)) {
        const error = answer?.isShortened ? tooManyWildcards(target.origin) : undefined
        return { ...preview, verdict: 'robots', error }
      }
      const page = await this.#fetch(url)
      if (!page) return { ...preview, verdict: 'unread' }
      const { links, fields } = await this.#read(page)
      const found = this.#countInScope([url, ...links.filter(link => !link.nofollow).map(link => link.url)])
      const examples = found.slice(0, EXAMPLES_SHOWN)
      return { ...preview, links: links.length, inScope: found.length, examples, fields }
    } catch (error) {
      return { ...preview, verdict: 'unread', error: failureText(error) }
    }
  }

  async #sitemap(url: string): Promise<void> {
    if (this.#sitemaps.has(url) || this.#sitemaps.size >= MAX_SITEMAPS || this.#stop.aborted) return
    const preview: SitemapPreview = { url, pages: 0, inScope: 0, examples: [] }
    this.#sitemaps.set(url, preview)
    try {
      const answer = await this.#rules.of(new URL(url))
      if (answer?.unreachable) throw answer.unreachable
      if (!answer?.allows(url)) {
        preview.error = 'robots.txt does not allow this file'
        return
      }
      const page = await this.#fetch(url, { maxBytes: MAX_SITEMAP_BYTES, truncate: true })
      if (!page) return
      const { entries } = await parseSitemap(page.body, page.url)
      const pages = entries.filter(entry => !entry.isSitemap)
      const found = this.#countInScope(pages.map(entry => entry.url))
      Object.assign(preview, { pages: pages.length, inScope: found.length, examples: found.slice(0, EXAMPLES_SHOWN) })
      const picked = [found[0], found.at(-1), found[found.length >> 1]].filter(one => one !== undefined)
      this.#samples.set(preview, picked)
      for (const entry of entries) if (entry.isSitemap) await this.#sitemap(entry.url)
    } catch (error) {
      preview.error = failureText(error)
    }
  }

  /**
   * Reads pages of the sitemaps if the corpus has fields, one of each file before the second of any.
   *
   * @param read - pages that were read already.
   */
  async #tryFields(read: Set<string>): Promise<void> {
    if (!this.#corpus.fields) return
    let tries = 0
    for (let round = 0; round < 3; round++) {
      for (const [preview, samples] of this.#samples) {
        const url = samples[round]
        if (url === undefined || read.has(url)) continue
        if (tries++ >= MAX_TRIED || this.#stop.aborted) return
        read.add(url)
        const tried = await this.#tryPage(url)
        if (tried) preview.tried = [...(preview.tried ?? []), tried]
      }
    }
  }

  /** Returns the fields of a page; undefined if the preview was stopped. */
  async #tryPage(url: string): Promise<TriedPage | undefined> {
    try {
      const answer = await this.#rules.of(new URL(url))
      if (!answer) return undefined
      if (answer.unreachable) throw answer.unreachable
      if (!answer.allows(url)) return { url, error: 'robots.txt does not allow this page' }
      const page = await this.#fetch(url)
      return page && { url, fields: (await this.#read(page)).fields }
    } catch (error) {
      return { url, error: failureText(error) }
    }
  }

  /** Returns the links of a page, and the fields of the corpus as the page has them. */
  async #read({ url, contentType, body }: FetchedPage): Promise<{ links: PageLink[]; fields?: FieldPreview[] }> {
    const { fields: rules } = this.#corpus
    const { links, fields } = await extract(body, { url, contentType, fields: rules })
    return {
      links,
      fields: rules && parseFieldRules(rules).rules.map(({ name, type }) => ({ name, type, value: fields?.[name] })),
    }
  }

  async #fetch(url: string, ask: { maxBytes?: number; truncate?: boolean } = {}) {
    const turn = await this.#politeness.turn(new URL(url).host, this.#stop)
    try {
      return turn && (await this.#fetcher.fetch(url, ask))
    } finally {
      turn?.release()
    }
  }

  /** Counts the URLs in scope as pages. Returns them normalized, each once. */
  #countInScope(urls: string[]): string[] {
    const found = new Set<string>()
    for (const url of urls) {
      const normal = tryNormalize(url)
      if (normal !== undefined && this.#scope.includes(normal)) found.add(normal)
    }
    for (const url of found) this.#pages.add(url)
    return [...found]
  }

  /** Estimates the time for fetching the pages. Hosts are crawled at the same time, so the slowest host decides. */
  #durationMs(seeds: SeedPreview[], limit: number): number {
    const delays = new Map(seeds.map(({ url, delayMs }) => [new URL(url).host, delayMs]))
    const perHost = Map.groupBy(this.#pages, url => new URL(url).host)
    const times = [...perHost].map(([host, urls]) => urls.length * (delays.get(host) ?? this.#delayMs))
    const shareWithinLimit = Math.min(1, limit / Math.max(1, this.#pages.size))
    return Math.max(0, ...times) * shareWithinLimit
  }
}

/** Returns the code and the message of an error. Throws an error without a code. */
function failureText(error: unknown): string {
  if (!isAsofError(error)) throw error
  return `${error.code}: ${messageWithSaid(error)}`
}
