import { type Engine, optionsReader } from '@asof/core'
import type { Access, KeylessLimits } from '../service/accounts/index.ts'
import type { CrawlFigures } from '../service/index.ts'
import type { Payments } from '../service/payments/index.ts'
import type { UnreadLimits } from './limits/unread-answers.ts'
import type { McpSettings } from './mcp/mcp-settings.ts'
import type { AnsweredRequest } from './request/answered-request.ts'

/** How the HTTP server behaves; every field has a default. */
export interface HttpSettings {
  /**
   * The public address, for the OpenAPI document; its host name is a trusted `Host`. Default: relative to wherever the
   * document is read.
   */
  baseUrl?: string
  /**
   * Host names, without ports, under which the server is called besides that of `baseUrl`. A request whose `Host` is none of
   * these, no IP address and not `localhost` is 403, except for `/healthz` and `/readyz`. Default: none.
   */
  hosts?: readonly string[]
  /**
   * Whose `X-Forwarded-For` is believed: `true` for the one proxy in front, or the addresses and networks of proxies.
   * Default: nobody's, the peer's address is the client's.
   */
  trustProxy?: true | string[]
  /** Requests per client address on the keyless routes. Default 10 per second and 1,000 per hour. */
  keylessLimits?: KeylessLimits
  /** Who may call with a key. Default: the server has no keyed routes. */
  access?: Access
  /** The bearer token of the routes under `/admin`, which need `access`; 16 characters or more. Default: no such routes. */
  adminToken?: string
  /**
   * Who takes payments on the `/v1/x402` routes. Default: nobody, and they are 503. Payments that read regions from the
   * headers of a proxy need `trustProxy`.
   */
  payments?: Payments
  /**
   * Open connections of one client: an IPv4 address, or a /64 of IPv6. More are closed at once. Connections of trusted
   * proxies are not counted. Default 256.
   */
  maxConnectionsPerAddress?: number
  /** Searches and fetches answered at a time; more are 503. Default 256. */
  maxUnderWay?: number
  /** How much of their answers clients may leave unread. Default: see {@link UnreadLimits}. */
  unreadAnswers?: Partial<UnreadLimits>
  /** Web origins whose pages may call the API; `*` is any. Default: only those of localhost and of the server, and no CORS headers. */
  corsOrigins?: readonly string[]
  /** Whether answers over 1 KiB go out in gzip to who takes it. Default true. */
  compression?: boolean
  /** Whether anyone may read `/metrics`. Default false: only who has the admin token, where there is one. */
  publicMetrics?: boolean
  /** How `/mcp` answers; `false`: there is no such route. Default: there is, with the defaults of its own settings. */
  mcp?: McpSettings | false
  /** The engine behind the service: `/readyz` reads it, `/metrics` counts what it holds. Default: neither does. */
  engine?: Pick<Engine, 'page' | 'stats'>
  /** What the crawls of this process have done, for `/metrics`. Default: it tells of none. */
  crawls?: () => CrawlFigures
  /** Told about every request once it is answered. Default: nobody. */
  onAnswer?: (answered: AnsweredRequest) => void
  /** Told about every answer with status 500; the caller only learns the request id. Default: nobody. */
  onFailure?: (failure: unknown, context: { requestId: string }) => void
}

/** Checks the settings of a server: names and types. */
export const readHttpSettings = optionsReader<HttpSettings>({
  baseUrl: 'string',
  hosts: 'list',
  trustProxy: 'true or list',
  keylessLimits: 'object',
  access: 'object',
  adminToken: 'string',
  payments: 'object',
  maxConnectionsPerAddress: 'number',
  maxUnderWay: 'number',
  unreadAnswers: 'object',
  corsOrigins: 'list',
  compression: 'boolean',
  publicMetrics: 'boolean',
  mcp: 'false or object',
  engine: 'object',
  crawls: 'function',
  onAnswer: 'function',
  onFailure: 'function',
})

const readKeylessLimits = optionsReader<KeylessLimits>(
  { perSecond: 'number', perHour: 'number' },
  { required: ['perSecond', 'perHour'] },
)

/** @throws ASOF_INVALID_OPTION - a limit that is unknown, not given or no number. */
export function keylessLimitsOf({ keylessLimits }: HttpSettings): KeylessLimits {
  return keylessLimits === undefined ? httpDefaults.keylessLimits : readKeylessLimits(keylessLimits)
}

export const httpDefaults = {
  keylessLimits: { perSecond: 10, perHour: 1_000 },
  /** Requests of one address under `/admin`, so that nobody can try tokens fast. */
  adminRequestsPerSecond: 50,
  /** Bodies over this are 413. */
  bodyLimitBytes: 256 * 1024,
  /** Receiving a whole request, headers and body. */
  requestTimeoutMs: 15_000,
  /** Between two looks at which requests are over that time. */
  requestTimeoutCheckMs: 1_000,
  /** Answering one: a live fetch may take 30 s, and its extraction some more. */
  answerTimeoutMs: 60_000,
  /** Answering one that is paid for: besides, its transfer must get into a block, and the chain be asked about it. */
  paidAnswerTimeoutMs: 180_000,
  /** A connection on which nothing moves for this long is closed, so that nobody keeps an answer by not reading it. */
  idleConnectionMs: 120_000,
  /** Open connections; more are dropped, so that bodies under way can't fill the memory. */
  maxConnections: 4_096,
  maxConnectionsPerAddress: 256,
  maxUnderWay: 256,
  /** Shorter answers are not compressed. */
  compressedFromBytes: 1_024,
  /** What requests in flight are given to end when the server closes. */
  shutdownMs: 30_000,
} as const
