import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { type CaptureInput, type Engine, extract, open } from '../../../core/index.ts'
import { checkUrl, fetchPage } from '../../../crawler/index.ts'
import { Access } from '../../../service/accounts/index.ts'
import { CrawlJobs, type JobLimits, SitePages, type SitePagesOptions } from '../../../service/crawl-jobs/index.ts'
import {
  createService,
  type FetchPage,
  type LiveSource,
  readLivePage,
  type ServiceParts,
} from '../../../service/index.ts'
import { JournalRecords } from '../../../service/records/index.ts'
import { type StoreSettings, store } from '../../../store/ways/index.ts'
import { createServer, type HttpSettings, listen } from '../../../transports/http/index.ts'

export interface RunningServer {
  url: string
  listener: Server
  engine: Engine
  /** The accounts. The server has keyed routes only with the option `accounts`. */
  access: Access
  crawlJobs: CrawlJobs
  failures: unknown[]
  close(): Promise<void>
}

export interface ServerOptions {
  /** The settings of the server and of its store. */
  http?: HttpSettings & StoreSettings
  allowPrivate?: boolean
  now?: () => number
  fetchPage?: FetchPage
  /** Further options of live fetches. */
  live?: (engine: Engine) => Partial<LiveSource>
  captures?: CaptureInput[]
  /** The index, which several servers can share; whoever opened it closes it. Default: a new one. */
  engine?: Engine
  accounts?: boolean
  /** How much one organization may crawl. */
  jobs?: Partial<JobLimits>
  /** How crawls ask sites. Default: without pauses. */
  site?: Partial<SitePagesOptions>
  /** A folder that the test removes, so that another server can go on with it. Default: a new one. */
  dir?: string
  /** Further parts of the service. */
  parts?: (dir: string) => Promise<ServiceParts>
}

/** Limits so high that only the tests about limits reach them. */
export const noLimits = { perSecond: 1_000_000, perHour: 1_000_000 }

/** A real server on a free loopback port, over a real engine in memory. Its accounts are in a folder of its own. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const dir = options.dir ?? (await mkdtemp(path.join(tmpdir(), 'asof-http-')))
  const now = options.now ?? Date.now
  const engine = options.engine ?? (await open(':memory:', { now }))
  if (options.captures) await engine.add(options.captures)
  const access = await Access.open(path.join(dir, 'access'), { now })
  const failures: unknown[] = []
  const allowPrivate = options.allowPrivate ?? false
  const polite = { politeness: { delayMs: 0, adaptiveFactor: 0, backOffMs: 1 } }
  const crawlJobs = new CrawlJobs({
    openRecords: () => JournalRecords.open(path.join(dir, 'crawl-jobs')),
    site: new SitePages({ allowPrivate, now, polite, ...options.site }),
    now,
    limits: options.jobs,
    onNotice: line => failures.push(line),
  })
  const live = { fetchPage: options.fetchPage ?? fetchPage, extract, now, allowPrivate, ...options.live?.(engine) }
  const { payments, purchases, service, walletProof, wording, ways = [], ...http } = options.http ?? {}
  const app = createServer(
    createService(engine, (url, call) => readLivePage(url, live, call), {
      now,
      checkLiveUrl: url => checkUrl(url, { allowPrivate }),
      ...(await options.parts?.(dir)),
    }),
    {
      access: options.accounts ? access : undefined,
      engine,
      crawlJobs: options.accounts ? crawlJobs : undefined,
      keylessLimits: noLimits,
      onFailure: failure => failures.push(failure),
      ...http,
      ways: [...store({ payments, purchases, service, walletProof, wording }), ...ways],
    },
  )
  const url = await listen(app, { host: '127.0.0.1', port: 0 })
  return {
    url,
    listener: app.server,
    engine,
    access,
    crawlJobs,
    failures,
    close: async () => {
      await app.close()
      await crawlJobs.close()
      await access.close()
      if (!options.engine) await engine.close()
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true })
    },
  }
}

/** A website on loopback, for live fetches. */
export async function startTarget(listener: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createHttpServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export interface Answer {
  status: number
  headers: Headers
  body: {
    error?: string
    message?: string
    details?: { path: string; reason: string }[]
    query?: string
    mode?: string
    warning?: string
    results?: {
      title: string
      url: string
      snippet?: string
      published_at?: string
      acquired_at?: string
      language?: string
    }[]
    wizards?: Record<string, unknown>[]
    suggestions?: { kind: string; text: string; url?: string }[]
    content?: string
    url?: string
    title?: string
    published_at?: string
  }
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
}

const title = { 'X-Service-Title': 'tests' }

export async function get(url: string, headers: Record<string, string> = title): Promise<Answer> {
  return answerOf(await fetch(url, { headers }))
}

export async function post(url: string, body: unknown, headers: Record<string, string> = title): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const json = { 'Content-Type': 'application/json' }
  return answerOf(await fetch(url, { method: 'POST', body: text, headers: { ...json, ...headers } }))
}

export async function put(url: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
  const json = { 'Content-Type': 'application/json' }
  return answerOf(await fetch(url, { method: 'PUT', body: JSON.stringify(body), headers: { ...json, ...headers } }))
}

/** The query string of parameters. */
export function query(parameters: Record<string, unknown>): string {
  return new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
}

/** Sends raw bytes and returns the whole answer. */
export async function sendRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end(bytes)
  return text(socket)
}
