import type { IrrelevantParameters } from '../discovery/irrelevant-parameters.ts'
import type { PageLinks } from '../discovery/page-links.ts'
import type { FetchedPage } from '../fetch/fetcher.ts'
import { freshUntil } from '../fetch/http-freshness.ts'
import { countsAfter } from '../frontier/change-rate.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { FrontierRecord } from '../frontier/frontier-record.ts'
import type { CrawlTally } from '../report/crawl-tally.ts'
import type { Timers } from '../timers.ts'
import { answeredVisit, urlsOf, type VisitedUrls } from './answered-visit.ts'
import { contentOf, textHashOf } from './page-content.ts'
import type { PageExtraction } from './page-extraction.ts'
import type { Onward } from './page-request.ts'
import type { PageStorage, StorablePage } from './page-storage.ts'
import type { VisitResult } from './visit-result.ts'

interface Parts {
  extraction: PageExtraction
  links: PageLinks
  parameters: IrrelevantParameters
  storage: PageStorage
  frontier: Frontier
  tally: CrawlTally
  timers: Timers
  /** The key of the corpus's field rules, if it has any. */
  fieldsKey: string | undefined
}

/** A page that is to be stored once the address that it claims was visited. */
export interface Storable {
  kind: 'storable'
  page: StorablePage
}

/** Takes from an answer what is kept of it: the state of the URL, the links, and the page, unless it must not be in the index. */
export class PageKeeping {
  readonly #extraction: PageExtraction
  readonly #links: PageLinks
  readonly #parameters: IrrelevantParameters
  readonly #storage: PageStorage
  readonly #frontier: Frontier
  readonly #tally: CrawlTally
  readonly #timers: Timers
  readonly #fieldsKey: string | undefined

  constructor({ extraction, links, parameters, storage, frontier, tally, timers, fieldsKey }: Parts) {
    this.#extraction = extraction
    this.#links = links
    this.#parameters = parameters
    this.#storage = storage
    this.#frontier = frontier
    this.#tally = tally
    this.#timers = timers
    this.#fieldsKey = fieldsKey
  }

  /** Keeps a page that was fetched. Returns another URL if the page only says that it was moved there. */
  async keep(page: FetchedPage, urls: VisitedUrls, record: FrontierRecord): Promise<VisitResult | Storable | Onward> {
    const now = this.#timers.now()
    const visit = answeredVisit(urls, record, learnFrom(page, now, this.#fieldsKey))
    const read = page.status === 304 ? undefined : await this.#extraction.read(page, now)
    if (read?.movedTo !== undefined && read.movedTo !== visit.url) return { kind: 'onward', url: read.movedTo }
    this.#tally.countAnswer(page.body.length)
    this.#tally.countStatus(page.status)
    const before = visit.url === visit.requestedUrl ? record : await this.#frontier.get(visit.url)
    if (!read) {
      const changed = await this.#storage.confirm(visit, before)
      return changed ? { kind: 'storable', page: changed } : { kind: 'finished', outcome: 'unchanged' }
    }

    const { extracted } = read
    if (!read.nofollow) await this.#links.enqueue(extracted, read.refreshUrl, visit.url, record.depth + 1)
    if (read.noindex) {
      await this.#storage.leaveOut(visit)
      return { kind: 'finished', outcome: 'noindex' }
    }

    this.#tally.countLosses(visit.url, read.isEmpty, extracted.replacedCharacters ?? 0)
    const textHash = textHashOf(extracted.markdown)
    if (before?.textHash !== undefined)
      Object.assign(visit.learned, countsAfter(before, before.textHash !== textHash, now))
    if (textHash !== undefined) await this.#parameters.observe(visit.requestedUrl, textHash)
    const claim = await this.#links.claimOf(page, extracted.canonicalUrl, urlsOf(visit))
    visit.learned.claim = claim
    return { kind: 'storable', page: { ...visit, claim, textHash, content: contentOf(extracted) } }
  }

  /** Makes URLs aliases of a page that this run has fetched already. */
  async keepAlias(urls: VisitedUrls, record: FrontierRecord, storedAs: string): Promise<VisitResult> {
    this.#tally.countAnswer(0)
    await this.#storage.alias(answeredVisit(urls, record, {}), storedAs)
    return { kind: 'finished', outcome: 'duplicate' }
  }
}

/** Returns what an answer changes in the record of its URL: validators, freshness and time of the fetch. */
function learnFrom(page: FetchedPage, now: number, fieldsKey: string | undefined): Partial<FrontierRecord> {
  const learned: Partial<FrontierRecord> = { lastFetchedAt: now, freshUntilAt: freshUntil(page.headers, now) }
  // A 304 need not repeat the validators, so the recorded ones stay.
  if (page.etag !== undefined || page.status !== 304) learned.etag = page.etag
  if (page.lastModified !== undefined || page.status !== 304) learned.lastModified = page.lastModified
  if (page.status !== 304) learned.fieldsKey = fieldsKey
  return learned
}
