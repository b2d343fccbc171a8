import { join } from 'node:path'
import type { Engine } from '@asof/core'
import { messageOf } from '@asof/extract/errors'
import type {
  Corpus,
  CorpusPreview,
  CrawlEntry,
  CrawlEvent,
  CrawlFailure,
  CrawlReport,
  DueCounts,
  OpenFrontiers,
} from '../../crawler/index.ts'
import { refusedFields, renamingFields, ServiceError, toServiceError } from '../contract/errors.ts'
import { type CrawlDefinition, type CrawlLimits, readDefinition, saveDefinition } from './crawl-definition.ts'
import { CrawlTotals } from './crawl-totals.ts'

/** Imported when something is crawled, so that a process that only searches starts faster. */
const crawler = () => import('../../crawler/index.ts')

/** A crawl that somebody waits for. */
export interface CrawlRequest {
  /** A corpus definition, or a list of seed URLs. */
  corpus: Corpus | string[]
  limits: CrawlLimits
  /** Stops the crawl once the captures that it holds are stored. */
  signal?: AbortSignal | undefined
  /** Called when the crawl starts and after each page, with the report so far. */
  onProgress?: ((event: CrawlEvent) => void) | undefined
}

/** A crawl that is running in this process. */
export interface RunningCrawl {
  /** Name of the corpus. */
  name: string
  /** True if the crawl visits pages again when they are due, and does not end. */
  watch: boolean
  /** Epoch ms. */
  startedAt: number
  /** True after somebody asked the crawl to stop, until the captures that it holds are stored. */
  isStopping: boolean
  /** The last event, with the report so far. Undefined before the first one. */
  last?: CrawlEvent
}

/** The last crawl of a name. */
export interface KnownCrawl extends Omit<CrawlEntry, 'report'> {
  /** `interrupted`: the process that ran it was killed. `stopped`: it can go on where it was. */
  state: 'running' | 'stopping' | 'finished' | 'stopped' | 'interrupted' | 'failed'
  /** True if a server started the crawl and so knows its definition. */
  canResume: boolean
  /** The report so far, or the final one. Undefined if there is none. */
  report?: Readonly<CrawlReport>
}

interface CrawlsParts {
  engine: Engine
  /** The folder of the frontiers. */
  dir: string
  /** URL of a PostgreSQL database that has the frontiers instead, for several crawlers. */
  database?: string | undefined
  /** True to allow fetching from loopback and private addresses. */
  allowPrivate: boolean
  /** The current time, epoch ms. */
  now: () => number
  /** Stops all crawls. */
  signal?: AbortSignal | undefined
  /** Called with a line for the operator about each background crawl that fails. */
  onNotice: (line: string) => void
}

/** Time for a preview. A host is asked once a second, so a preview of many sites can take long. */
const PREVIEW_MS = 20_000
/** Number of previews at the same time. */
const MAX_PREVIEWS = 2
/** Number of crawls that run in the background at the same time. Each has extraction processes of its own. */
const MAX_BACKGROUND = 4

/**
 * The crawls of a data folder. A crawl belongs to whoever waits for its report ({@link run}), or it runs in the background
 * ({@link start}) until it ends, is stopped, or the folder is closed. Everybody sees and can stop both kinds.
 */
export class Crawls {
  readonly #engine: Engine
  readonly #dir: string
  readonly #database: string | undefined
  readonly #allowPrivate: boolean
  readonly #now: () => number
  readonly #signal: AbortSignal | undefined
  readonly #onNotice: (line: string) => void
  readonly #totals = new CrawlTotals()
  readonly #running = new Map<RunningCrawl, AbortController>()
  readonly #background = new Map<string, Promise<void>>()
  /** Failures of background crawls that failed before they began, and so are in no journal. */
  readonly #failed = new Map<string, KnownCrawl>()
  readonly #closing = new AbortController()
  #frontiers: OpenFrontiers | undefined
  #previews = 0

  constructor({ engine, dir, database, allowPrivate, now, signal, onNotice }: CrawlsParts) {
    this.#engine = engine
    this.#dir = dir
    this.#database = database
    this.#allowPrivate = allowPrivate
    this.#now = now
    this.#signal = signal
    this.#onNotice = onNotice
  }

  /** Totals since this process started, for metrics. */
  get figures() {
    return this.#totals.figures
  }

  /** The crawls that are running, oldest first. */
  get running(): readonly Readonly<RunningCrawl>[] {
    return [...this.#running.keys()]
  }

  /** The frontiers of running crawls. Undefined before the first crawl. */
  get frontiers(): OpenFrontiers | undefined {
    return this.#frontiers
  }

  /** Runs a crawl to its end, see `crawl` of the crawler. */
  async run({ corpus, limits, signal, onProgress }: CrawlRequest): Promise<CrawlReport> {
    const { crawl, corpusOfSeeds, OpenFrontiers } = await crawler()
    this.#frontiers ??= new OpenFrontiers()
    const frontiers = this.#frontiers
    const { name } = Array.isArray(corpus) ? corpusOfSeeds(corpus) : corpus
    const running: RunningCrawl = { name, watch: limits.watch ?? false, startedAt: this.#now(), isStopping: false }
    const stop = new AbortController()
    const signals = [stop.signal, this.#closing.signal, signal, this.#signal].filter(one => one !== undefined)
    this.#running.set(running, stop)
    try {
      return await this.#totals.follow(count =>
        crawl(this.#engine, corpus, {
          ...limits,
          dir: this.#dir,
          frontiers,
          database: this.#database,
          now: this.#now,
          allowPrivate: this.#allowPrivate,
          signal: AbortSignal.any(signals),
          onProgress: event => {
            running.last = event
            count(event)
            onProgress?.(event)
          },
        }),
      )
    } finally {
      this.#running.delete(running)
    }
  }

  /**
   * Returns what a crawl would fetch first, as far as that is found out in 20 seconds. Stores nothing.
   *
   * @returns the preview, and whether there was time for all of it.
   * @throws ServiceError overloaded - two previews are being made.
   */
  async preview(corpus: Corpus): Promise<{ preview: CorpusPreview; isComplete: boolean }> {
    if (this.#previews >= MAX_PREVIEWS)
      throw new ServiceError('overloaded', 'Two previews are being made.', { retryAfterSeconds: 10 })
    this.#previews += 1
    try {
      const { previewCorpus } = await crawler()
      const late = AbortSignal.timeout(PREVIEW_MS)
      const signal = AbortSignal.any([late, this.#closing.signal])
      const preview = await previewCorpus(corpus, { allowPrivate: this.#allowPrivate, signal })
      return { preview, isComplete: !signal.aborted }
    } finally {
      this.#previews -= 1
    }
  }

  /**
   * Starts a crawl in the background. Resolves when its definition is on disk.
   *
   * @throws ServiceError invalid_request - a crawl of this name is running.
   * @throws ServiceError address_refused - a seed is at a private address.
   * @throws ServiceError overloaded - as many crawls as may run are running, or the folder is being closed.
   */
  async start({ corpus, limits }: CrawlDefinition): Promise<void> {
    const { checkUrl } = await crawler()
    for (const [i, seed] of corpus.seeds.entries()) {
      try {
        checkUrl(new URL(seed), { allowPrivate: this.#allowPrivate })
      } catch (cause) {
        throw renamingFields(toServiceError(cause), () => `corpus.seeds[${i}]`)
      }
    }
    const { name } = corpus
    if (this.#background.has(name) || this.running.some(other => other.name === name))
      throw refusedFields('invalid_request', [
        { path: 'corpus.name', reason: `a crawl named ${name} is running; stop it first` },
      ])
    if (this.#closing.signal.aborted || this.#background.size >= MAX_BACKGROUND)
      throw new ServiceError('overloaded', `At most ${MAX_BACKGROUND} crawls run at a time. Stop one first.`, {
        retryAfterSeconds: 60,
      })
    const saved = saveDefinition(this.#dir, { corpus, limits })
    this.#failed.delete(name)
    const ended = this.#runAfter(saved, { corpus, limits }).finally(() => this.#background.delete(name))
    this.#background.set(name, ended)
    await saved
  }

  /**
   * Goes on with a crawl that was stopped, interrupted or failed. Visits the pages of a finished crawl again.
   *
   * @throws ServiceError not_found - no server has started a crawl of this name.
   * @throws ServiceError - see {@link start}.
   */
  async resume(name: string): Promise<void> {
    const { parseCorpus } = await crawler()
    const definition = await this.#definitionOf(name)
    if (!definition) throw new ServiceError('not_found', `No crawl named ${name} was started here.`)
    await this.start({ ...definition, corpus: parseCorpus(definition.corpus) }).catch((error: unknown) => {
      throw renamingFields(error, () => 'name')
    })
  }

  /**
   * Asks a running crawl to store the captures that it holds, and to stop.
   *
   * @throws ServiceError not_found - no crawl of this name is running.
   */
  stop(name: string): void {
    const found = [...this.#running].find(([crawl]) => crawl.name === name)
    if (!found) throw new ServiceError('not_found', `No crawl named ${name} is running.`)
    const [crawl, controller] = found
    crawl.isStopping = true
    controller.abort()
  }

  /** Lists the last crawl of each name, newest first. */
  async list(): Promise<KnownCrawl[]> {
    const { listCrawls } = await crawler()
    const known = new Map<string, KnownCrawl>()
    for (const entry of await listCrawls(this.#dir))
      known.set(entry.name, { ...entry, state: stateOf(entry), canResume: false })
    for (const [name, failed] of this.#failed) known.set(name, failed)
    for (const { name, watch, startedAt, isStopping, last } of this.running)
      known.set(name, {
        name,
        watch,
        startedAt,
        report: last?.report,
        canResume: false,
        state: isStopping ? 'stopping' : 'running',
      })
    const listed = [...known.values()].sort((a, b) => b.startedAt - a.startedAt)
    return await Promise.all(
      listed.map(async crawl => ({ ...crawl, canResume: (await this.#definitionOf(crawl.name)) !== undefined })),
    )
  }

  /**
   * Returns URLs that failed in the last crawl of a name, oldest first, and where they were found.
   *
   * @param limit - the largest number of failures to return.
   * @throws ServiceError not_found - there was no crawl of this name.
   */
  async failures(name: string, limit: number): Promise<CrawlFailure[]> {
    const { listFailures } = await crawler()
    if (!(await this.list()).some(crawl => crawl.name === name))
      throw new ServiceError('not_found', `There is no crawl named ${name}.`)
    const found: CrawlFailure[] = []
    for await (const failure of listFailures(this.#dir, name)) if (found.push(failure) >= limit) break
    return found
  }

  /**
   * Counts the queued URLs of a running crawl by when they are due: those of a crawl with `watch` are visited again then.
   *
   * @throws ServiceError not_found - no crawl of this name is running.
   */
  async due(name: string): Promise<DueCounts> {
    const { countDue } = await crawler()
    const folder = join(this.#dir, name)
    const frontier = this.#frontiers?.get(folder)
    const missing = new ServiceError('not_found', `No crawl named ${name} is running.`)
    if (!frontier) throw missing
    try {
      return await countDue(frontier, this.#now())
    } catch (error) {
      // The crawl may have ended meanwhile, which closes the frontier.
      throw this.#frontiers?.get(folder) ? error : missing
    }
  }

  /** Stops the crawls in the background, and waits until their captures are stored. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#background.values())
  }

  async #runAfter(saved: Promise<void>, { corpus, limits }: CrawlDefinition): Promise<void> {
    const startedAt = this.#now()
    try {
      await saved
      await this.run({ corpus, limits })
    } catch (error) {
      const failure = messageOf(error)
      const { name } = corpus
      const watch = limits.watch ?? false
      const endedAt = this.#now()
      this.#failed.set(name, { name, watch, startedAt, endedAt, failure, state: 'failed', canResume: true })
      this.#onNotice(`the crawl ${name} failed: ${failure}`)
    }
  }

  async #definitionOf(name: string): Promise<CrawlDefinition | undefined> {
    return await readDefinition(this.#dir, name)
  }
}

function stateOf({ endedAt, failure, report }: CrawlEntry): KnownCrawl['state'] {
  if (failure !== undefined) return 'failed'
  if (endedAt === undefined) return 'interrupted'
  return report?.finished ? 'finished' : 'stopped'
}
