import type { Access, KeylessLimits } from '../access/index.ts'

/** How the HTTP server behaves; every field has a default. */
export interface HttpSettings {
  /** The public address, for the OpenAPI document. Default: relative to wherever the document is read. */
  baseUrl?: string
  /**
   * Whose `X-Forwarded-For` is believed: `true` for the one proxy in front, or the addresses and networks of proxies.
   * Default: nobody's, the peer's address is the client's.
   */
  trustProxy?: true | string[]
  /** Requests per client address on the keyless routes. Default 10 per second and 1,000 per hour. */
  keylessLimits?: KeylessLimits
  /** Who may call with a key. Default: the server has no keyed routes. */
  access?: Access
  /** The bearer token of the routes under `/admin`, which need `access`. Default: there are none. */
  adminToken?: string
  /** Told about every answer with status 500; the caller only learns the request id. Default: nobody. */
  onFailure?: (failure: unknown, context: { requestId: string }) => void
}

export const httpDefaults = {
  keylessLimits: { perSecond: 10, perHour: 1_000 },
  /** Requests of one address under `/admin`, so that nobody can try tokens fast. */
  adminRequestsPerSecond: 50,
  /** Bodies over this are 413. */
  bodyLimitBytes: 256 * 1024,
  /** Receiving a whole request, headers and body. */
  requestTimeoutMs: 15_000,
  /** Answering one: a live fetch may take 30 s, and its extraction some more. */
  answerTimeoutMs: 60_000,
} as const
