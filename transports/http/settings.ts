import type { Engine } from '@asof/core'
import { invalidOption, optionsReader } from '@asof/extract/errors'
import type { Access, KeylessLimits } from '../../service/accounts/index.ts'
import type { CrawlJobs } from '../../service/crawl-jobs/index.ts'
import type { Crawls } from '../../service/crawls/index.ts'
import type { CreateWindow } from '../../service/index.ts'
import type { UnreadLimits } from './admission/unread-answers.ts'
import { type DialectName, dialectNames, isDialect } from './dialects/dialects.ts'
import { httpDefaults } from './http-defaults.ts'
import type { McpSettings } from './mcp/mcp-settings.ts'
import type { MeasuredCluster } from './metrics/cluster-figures.ts'
import type { AnsweredRequest } from './request/request-record.ts'
import type { Doctor } from './routes/doctor-routes.ts'
import type { GivenWays } from './ways/given-ways.ts'

/** How the HTTP server behaves; every field has a default. */
export interface HttpSettings {
  /**
   * Public address of the server. The OpenAPI document names it, and its host name is accepted as `Host`. Default: the
   * document has a relative address.
   */
  baseUrl?: string
  /**
   * Further host names of the server, without ports. A request is answered with 403 unless its `Host` is one of these
   * names, that of `baseUrl`, an IP address or `localhost`; `/healthz` and `/readyz` accept any. Default: none.
   */
  hosts?: readonly string[]
  /**
   * Proxies whose `X-Forwarded-For` is trusted: `true` for the one proxy in front, or the addresses and networks of proxies.
   * Default: none, so the address of the connection is the client's address.
   */
  trustProxy?: true | string[]
  /** Limit of requests of one client address on the keyless routes. Default 10 per second and 1,000 per hour. */
  keylessLimits?: KeylessLimits
  /** Makes the counts of this limit, which several servers can share. Default: this server counts alone. */
  createWindow?: CreateWindow
  /** The accounts of callers with a key. Default: the server has no keyed routes. */
  access?: Access
  /** Bearer token of the routes under `/admin`, at least 16 characters; needs `access`. Default: there are no such routes. */
  adminToken?: string
  /**
   * Interfaces of other search services that the server answers, each below its name: `exa` at `/exa`. Default: all of them.
   */
  dialects?: readonly DialectName[]
  /** Further ways in, such as those of `store`, which are added after those of the server. Default: none. */
  ways?: readonly GivenWays[]
  /**
   * Limit of open connections of one client, which is an IPv4 address or an IPv6 network of 64 bits. Further connections
   * are closed at once. Connections of trusted proxies are not counted. Default 256.
   */
  maxConnectionsPerAddress?: number
  /**
   * Limit of concurrent calls of the service, running or waiting: searches, fetches, suggestions, histories, mementos and
   * feedback. One client may use half of it. Beyond it the newest waiting call of the client with the most is answered with
   * 503. Default 256.
   */
  maxUnderWay?: number
  /** Limits of answers that clients have not read. Default: see {@link UnreadLimits}. */
  unreadAnswers?: Partial<UnreadLimits>
  /**
   * Web origins whose pages may call the API; `*` allows all. Default: requests from pages of other
   * hosts than localhost and the server are refused. Answers have no CORS headers.
   */
  corsOrigins?: readonly string[]
  /**
   * True if search, fetch, history, suggestions, Memento and the tools of agents need a key or a signed-in administrator. Default false:
   * everybody may call them, within `keylessLimits`.
   */
  privateSearch?: boolean
  /** True if the server shows the console at `/`, and the documents at `/docs`. Default false. */
  console?: boolean
  /** True if answers over 1 KiB are compressed with gzip for clients that accept it. Default true. */
  compression?: boolean
  /**
   * True if anyone may read `/metrics`. Default false: `/metrics` needs the admin token, and is missing without `adminToken`.
   */
  publicMetrics?: boolean
  /** The settings of `/mcp`, or `false` for no such route. Default: the route with its default settings. */
  mcp?: McpSettings | false
  /**
   * The engine of the service, which `/readyz` probes, whose figures `/metrics` shows, and whose pages and relevance administrators
   * change. Default: none of these.
   */
  engine?: Pick<Engine, 'add' | 'page' | 'stats' | 'removeAll' | 'purgeAll' | 'relevance' | 'setRelevance'>
  /** The cluster that has the index, whose servers `/readyz` asks, and for `/metrics`. Default: the index is on this machine. */
  cluster?: MeasuredCluster
  /**
   * The crawls of this process, which `/metrics` counts, and which operators start and stop under `/admin/crawls`. Default:
   * neither.
   */
  crawls?: Crawls
  /** The crawls that organizations with a key ask for; needs `access`. Default: there are no such routes. */
  crawlJobs?: CrawlJobs | undefined
  /** Examines the data folder when an operator asks for it under `/admin/doctor`. Default: there is no such route. */
  doctor?: Doctor
  /** Called after every answered request. */
  onAnswer?: (answered: AnsweredRequest) => void
  /** Called for every answer with status 500, with the failure. The caller receives only the request id. */
  onFailure?: (failure: unknown, context: { requestId: string }) => void
}

const readSettings = optionsReader<HttpSettings>({
  baseUrl: 'string',
  hosts: 'list',
  trustProxy: 'true or list',
  keylessLimits: 'object',
  createWindow: 'function',
  access: 'object',
  adminToken: 'string',
  dialects: 'list',
  ways: 'list',
  maxConnectionsPerAddress: 'number',
  maxUnderWay: 'number',
  unreadAnswers: 'object',
  corsOrigins: 'list',
  compression: 'boolean',
  console: 'boolean',
  privateSearch: 'boolean',
  publicMetrics: 'boolean',
  mcp: 'false or object',
  engine: 'object',
  cluster: 'object',
  crawls: 'object',
  crawlJobs: 'object',
  doctor: 'object',
  onAnswer: 'function',
  onFailure: 'function',
})

/**
 * Checks the names and types of settings. The base URL loses the slashes at its end, so that a path can follow.
 *
 * @throws ASOF_INVALID_OPTION - an unknown setting, or one of the wrong type.
 */
export function readHttpSettings(given: HttpSettings | undefined): HttpSettings {
  const settings = readSettings(given)
  for (const [i, name] of (settings.dialects ?? []).entries())
    if (!isDialect(name)) throw invalidOption(`dialects[${i}]`, `must be one of ${dialectNames.join(', ')}`)
  for (const [i, way] of (settings.ways ?? []).entries())
    if (typeof way?.add !== 'function' || !['undefined', 'function'].includes(typeof way.check))
      throw invalidOption(`ways[${i}]`, 'must have the function add, and may have the function check')
  return { ...settings, baseUrl: settings.baseUrl?.replace(/\/+$/, '') }
}

const readKeylessLimits = optionsReader<KeylessLimits>(
  { perSecond: 'number', perHour: 'number' },
  { required: ['perSecond', 'perHour'] },
)

/** @throws ASOF_INVALID_OPTION - a limit is unknown, missing or not a number. */
export function keylessLimitsOf({ keylessLimits }: HttpSettings): KeylessLimits {
  return keylessLimits === undefined ? httpDefaults.keylessLimits : readKeylessLimits(keylessLimits)
}
