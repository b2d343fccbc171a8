/** The defaults of the server, and the limits that no setting changes. */
export const httpDefaults = {
  keylessLimits: { perSecond: 10, perHour: 1_000 },
  /** Maximum number of requests from one address under `/admin`, so that nobody can try many tokens fast. */
  adminRequestsPerSecond: 50,
  /** Maximum size of a body. A larger body is answered with 413. */
  bodyLimitBytes: 256 * 1024,
  /** Time to receive a whole request, headers and body. */
  requestTimeoutMs: 15_000,
  /** Interval of the checks for requests that exceed `requestTimeoutMs`. */
  requestTimeoutCheckMs: 1_000,
  /** Time to answer a request. A live fetch takes up to 30 s, and its extraction some more. */
  answerTimeoutMs: 60_000,
  /** Time after which an idle connection is closed, also one whose client does not read its answer. */
  idleConnectionMs: 120_000,
  /** Limit of open connections; further ones are dropped, so that request bodies can't fill the memory. */
  maxConnections: 4_096,
  maxConnectionsPerAddress: 256,
  maxUnderWay: 256,
  /** Size from which answers are compressed. */
  compressedFromBytes: 1_024,
  /** Time for requests in flight to end when the server closes. */
  shutdownMs: 30_000,
} as const
