/** Version of the frontier's keys and records; a folder of a later one is not opened. */
export const FRONTIER_FORMAT = 3

/**
 * Where a URL stands. `pending` waits to be fetched; the others are settled until the next run: `done` fetched,
 * `failed` given up, `skipped` not to be fetched (robots.txt, or out of scope after a redirect).
 */
export type PageState = 'pending' | 'done' | 'failed' | 'skipped'

/** How many URLs stand where. */
export type StateCounts = Record<PageState, number>

/** URLs of one host. */
export interface HostCounts {
  known: number
  pending: number
}

/** What the frontier knows about a URL. Instants are epoch ms. */
export interface PageRecord {
  state: PageState
  /** Links from a seed. */
  depth: number
  /** 0 first to 9 last. */
  priority: number
  /** The run that settled it last; 0 before the first. */
  run: number
  /** Failed tries in this run. */
  attempts: number
  /** Its place in the queue: while pending, and while a watched page waits for its next visit. */
  queueKey?: string
  etag?: string | undefined
  lastModified?: string | undefined
  lastFetchedAt?: number | undefined
  /** The URL under which its content is in the index: itself, its canonical, a redirect's target, or a duplicate. */
  storedAs?: string | undefined
  /** Hash of the text stored under this URL. */
  textHash?: string | undefined
  /** Visits in a row that found the page gone. */
  missing?: number | undefined
  /** Error code of the last failure. */
  error?: string | undefined
  /** Visits that could tell whether it had changed since the one before, and how many found that it had. */
  visits?: number | undefined
  changes?: number | undefined
  /** Time that those visits cover, ms. */
  watchedMs?: number | undefined
  /** Until when its site says that what was fetched is good (RFC 9111), where it says so. */
  freshUntilAt?: number | undefined
}

/** How far the current run is. A run that is not `finished` is resumed. */
export interface RunRecord {
  run: number
  /** `requeueing` puts the known URLs back into the queue before the run starts fetching. */
  state: 'requeueing' | 'running' | 'finished'
  /** Whether pages are visited again when they are due, and the run never ends; else each is visited once. */
  watch?: true
  startedAt: number
  /** Last URL put back, while requeueing. */
  cursor?: string
  /** Pages asked for in this run, for the page limit. */
  fetched: number
}

const pagePrefix = 'p'
const queuePrefix = 'q'
const claimPrefix = 'd'
const sitemapPrefix = 's'
const hostPrefix = 'h'
const hostCountsPrefix = 'k'
const factPrefix = 'f'
// Sorts before every character of a host name, so one host's keys stand together and apart from longer names.
const separator = '\0'
const afterSeparator = '\x01'

/** Keys of the frontier's store. Strings, UTF-8, in byte order. */
export const frontierKeys = {
  format: '!format',
  run: '!run',
  counts: '!counts',
  sequence: '!sequence',
  page: (url: string) => pagePrefix + url,
  pageRange: (after?: string) => ({
    gt: pagePrefix + (after ?? ''),
    lt: String.fromCharCode(pagePrefix.charCodeAt(0) + 1),
  }),
  urlOfPage: (key: string) => key.slice(pagePrefix.length),
  claim: (host: string, textHash: string) => claimPrefix + host + separator + textHash,
  sitemap: (url: string) => sitemapPrefix + url,
  hostCounts: (host: string) => hostCountsPrefix + host,
  fact: (name: string) => factPrefix + name,
  scopeHost: (url: string) => hostPrefix + url,
  scopeHostRange: { gt: hostPrefix, lt: String.fromCharCode(hostPrefix.charCodeAt(0) + 1) },
  queueHostRange: (host: string) => ({
    gte: queuePrefix + host + separator,
    lt: queuePrefix + host + afterSeparator,
  }),
  queueAfterHost: (host: string) => ({
    gte: host === '' ? queuePrefix : queuePrefix + host + afterSeparator,
    lt: String.fromCharCode(queuePrefix.charCodeAt(0) + 1),
  }),
}

/** A queue key's parts, in the order in which they sort. */
export interface QueuePosition {
  host: string
  /** Epoch ms; 0 for at once. */
  dueAt: number
  priority: number
  depth: number
  sequence: number
}

/** The key that makes the next due URL of a host the first of its keys: due time, priority, depth, then arrival. */
export function encodeQueueKey(position: QueuePosition): string {
  const { host, dueAt, priority, depth, sequence } = position
  return (
    queuePrefix +
    host +
    separator +
    hex(dueAt, 12) +
    hex(priority, 1) +
    hex(Math.min(depth, 0xffff), 4) +
    hex(sequence, 12)
  )
}

/** Reads a queue key back. */
export function decodeQueueKey(key: string): QueuePosition {
  const end = key.indexOf(separator)
  const number = (from: number, digits: number) =>
    Number.parseInt(key.slice(end + 1 + from, end + 1 + from + digits), 16)
  return {
    host: key.slice(queuePrefix.length, end),
    dueAt: number(0, 12),
    priority: number(12, 1),
    depth: number(13, 4),
    sequence: number(17, 12),
  }
}

function hex(value: number, digits: number): string {
  return Math.floor(value).toString(16).padStart(digits, '0')
}
