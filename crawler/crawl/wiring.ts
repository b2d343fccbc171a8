import type { Engine } from '@asof/core'
import type { Corpus } from '../corpus/corpus.ts'
import { corpusFields } from '../corpus/corpus-fields.ts'
import { IrrelevantParameters } from '../discovery/irrelevant-parameters.ts'
import { PageLinks } from '../discovery/page-links.ts'
import { Scope } from '../discovery/scope.ts'
import { SitemapDiscovery } from '../discovery/sitemap-discovery.ts'
import { SitemapRequests } from '../discovery/sitemap-requests.ts'
import { UnprovenAddresses } from '../discovery/unproven-addresses.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import type { Frontier, NewUrl } from '../frontier/frontier.ts'
import type { HostTurns } from '../politeness/host-turns.ts'
import { OriginRules } from '../politeness/origin-rules.ts'
import { Politeness } from '../politeness/politeness.ts'
import { productToken } from '../politeness/product-token.ts'
import { RobotsCache } from '../politeness/robots-cache.ts'
import { Semaphore } from '../politeness/semaphore.ts'
import type { Renderer } from '../rendering/renderer.ts'
import type { CrawlFailure } from '../report/crawl-report.ts'
import { CrawlTally } from '../report/crawl-tally.ts'
import type { VisitOutcome } from '../report/visit-outcome.ts'
import type { Timers } from '../timers.ts'
import { CaptureBuffer } from '../visit/capture-buffer.ts'
import { ClaimedAddresses } from '../visit/claimed-address.ts'
import { type ExtractPage, PageExtraction } from '../visit/page-extraction.ts'
import { PageKeeping } from '../visit/page-keeping.ts'
import { PageRequests } from '../visit/page-request.ts'
import { PageStorage } from '../visit/page-storage.ts'
import { PageVisitor } from '../visit/page-visit.ts'
import { VisitChecks } from '../visit/visit-checks.ts'
import { VisitFailures } from '../visit/visit-failure.ts'
import type { CrawlSettings } from './crawl-options.ts'
import { HostDispatch } from './host-dispatch.ts'
import { HostRotation } from './host-rotation.ts'
import { HostWorker } from './host-worker.ts'

/** The parts of a run that its caller opens and closes. */
export interface RunResources {
  engine: Engine
  timers: Timers
  userAgent: string
  fetcher: Fetcher
  frontier: Frontier
  /** Spaces the requests to a host among the crawlers that share a database. Undefined if this crawler shares none. */
  turns: HostTurns | undefined
  extract: ExtractPage
  onFailure: (failure: CrawlFailure) => void
  /** Undefined if no page may be rendered. */
  renderer: Renderer | undefined
  /** Random numbers from 0 to 1, for jitter. Default `Math.random`. */
  random: (() => number) | undefined
}

/** What the parts of a run call. */
export interface RunEvents {
  /** Ends the waiting of all parts. */
  stop: AbortSignal
  /** Called before a worker visits URLs of a host. */
  onHost: (host: string) => Promise<void>
  /** Called when a visit ends. */
  onPage: (url: string, outcome: VisitOutcome) => void
  /** Called with an error that ends the crawl. */
  onFatal: (error: unknown) => void
}

/** The parts of a run that {@link CrawlRun} uses itself. */
export interface RunParts {
  tally: CrawlTally
  scope: Scope
  parameters: IrrelevantParameters
  buffer: CaptureBuffer
  sitemaps: SitemapDiscovery
  rotation: HostRotation
  dispatch: HostDispatch
}

/** Number of hosts that may be crawled for each concurrent request. Most are in their pause, and such a host costs little. */
const HOSTS_PER_REQUEST = 32

/** Makes the parts of a run and connects them. */
export function wireRun(
  corpus: Corpus,
  settings: CrawlSettings,
  { engine, timers, userAgent, fetcher, frontier, turns, extract, onFailure, renderer, random }: RunResources,
  { stop, onHost, onPage, onFatal }: RunEvents,
): RunParts {
  const { concurrency, watch, scheduleMs, discover, maxPages, maxDepth, changeThreshold, vectors, retry } = settings
  const { retryDelayMs } = retry
  const ourToken = productToken(userAgent) || 'asof'
  const fields = corpusFields(corpus.fields)
  const fieldsKey = fields?.key
  const maxFetched = watch ? Number.POSITIVE_INFINITY : maxPages
  const mayFetch = () => frontier.run.fetched < maxFetched

  const tally = new CrawlTally(corpus.name, timers.now(), onFailure)
  const rotation = new HostRotation(frontier)
  const onEnqueued = (urls: NewUrl[]) => rotation.offer(urls)

  const politeness = new Politeness(timers, new Semaphore(concurrency), settings.politeness, random, turns)
  const rules = new OriginRules(new RobotsCache(fetcher, timers.now, ourToken), politeness, stop)

  // Which URLs the crawl learns of.
  const scope = new Scope(corpus, timers.now)
  const parameters = new IrrelevantParameters(frontier)
  const unproven = new UnprovenAddresses()
  const links = new PageLinks({ frontier, scope, parameters, unproven, timers, onEnqueued, maxDepth })
  const sitemaps = new SitemapDiscovery({
    requests: new SitemapRequests({ fetcher, rules, politeness, tally, stop }),
    frontier,
    scope,
    parameters,
    timers,
    stop,
    maxPages,
    intervalMs: watch ? scheduleMs : undefined,
    onEnqueued,
  })

  // What becomes of a URL: it is asked for, and what the site answers is kept.
  const committed = { committed: () => rotation.wake(), failed: onFatal }
  const buffer = new CaptureBuffer({ engine, frontier, tally, timers, vectors }, committed)
  const failures = new VisitFailures({ engine, frontier, politeness, tally, timers, unproven, settings: retry })
  const storage = new PageStorage({ engine, frontier, buffer, tally, timers, changeThreshold })
  const visitor = new PageVisitor({
    checks: new VisitChecks({
      frontier,
      buffer,
      parameters,
      rules,
      sitemaps: discover ? sitemaps : undefined,
      failures,
      timers,
      fieldsKey,
      retryDelayMs,
    }),
    requests: new PageRequests({ frontier, buffer, fetcher, rules, politeness, scope, fieldsKey, stop, maxFetched }),
    failures,
    keeping: new PageKeeping({
      extraction: new PageExtraction({
        extract,
        fields,
        rendering: renderer && { renderer, all: corpus.rendering === 'always' },
        rules,
        tally,
        productToken: ourToken,
      }),
      links,
      parameters,
      storage,
      frontier,
      tally,
      timers,
      fieldsKey,
    }),
    claims: new ClaimedAddresses({
      frontier,
      buffer,
      politeness,
      timers,
      stop,
      onEnqueued,
      onPage,
      maxDepth,
      retryDelayMs,
    }),
    storage,
  })

  // Which host is next.
  const worker = new HostWorker({ frontier, visitor, timers, stop, mayFetch, onPage })
  const dispatch = new HostDispatch({
    rotation,
    buffer,
    timers,
    stop,
    maxHosts: concurrency * HOSTS_PER_REQUEST,
    mayFetch,
    work: async host => {
      await onHost(host)
      return await worker.work(host)
    },
    onFailure: onFatal,
  })
  return { tally, scope, parameters, buffer, sitemaps, rotation, dispatch }
}
