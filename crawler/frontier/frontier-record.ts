/** Version of the frontier's keys and records. A folder of another version is not opened. */
export const FRONTIER_FORMAT = 3

/**
 * The state of a URL. A `pending` URL waits to be fetched. The other states are final until the next run: a `done` URL was
 * fetched, a `failed` one could not be fetched, and a `skipped` one must not be fetched (because of robots.txt, a redirect
 * out of scope, or an irrelevant parameter).
 */
export type PageState = 'pending' | 'done' | 'failed' | 'skipped'

/** Number of URLs in each state. */
export type StateCounts = Record<PageState, number>

/** Number of URLs of one host. */
export interface HostCounts {
  known: number
  pending: number
}

/** What the frontier knows about a URL. Instants are epoch ms. */
export interface PageRecord {
  state: PageState
  /** Number of links between a seed and the page: 0 for a seed. */
  depth: number
  /** The first page, sitemap or feed that led to the URL; absent for a seed. */
  foundOn?: string
  /** 0 (visited first) to 9 (visited last). */
  priority: number
  /** Number of the last run that finished the URL; 0 before the first. */
  run: number
  /** Number of failed attempts in this run. */
  attempts: number
  /** Key of the URL in the queue. Present while the URL is pending, and while a watched page waits for its next visit. */
  queueKey?: string
  etag?: string | undefined
  lastModified?: string | undefined
  lastFetchedAt?: number | undefined
  /** The URL under which the index stores the page: its own, its canonical one, the target of a redirect, or a page with the same text. */
  storedAs?: string | undefined
  /** Hash of the text stored under this URL. */
  textHash?: string | undefined
  /** Number of consecutive visits that found the page gone. */
  missing?: number | undefined
  /** Error code of the last failure. */
  error?: string | undefined
  /** Number of visits whose text could be compared with the text of the visit before. */
  visits?: number | undefined
  /** Number of these visits at which the text had changed. */
  changes?: number | undefined
  /** Sum of the times between these visits and the visits before them, ms. */
  watchedMs?: number | undefined
  /** The instant until which the fetched content is fresh, if its site declares one (RFC 9111). */
  freshUntilAt?: number | undefined
}

/** The progress of the current run. The next crawl resumes a run that is not `finished`. */
export interface RunRecord {
  /** Number of the run, from 1. */
  run: number
  /** A run that is `requeueing` puts the known URLs back into the queue before it starts fetching. */
  state: 'requeueing' | 'running' | 'finished'
  /** True if the run never ends and visits each page again when it is due. Absent if the run visits each page once. */
  watch?: true
  startedAt: number
  /** The last URL that was put back into the queue. Present while the run is `requeueing`. */
  cursor?: string
  /** Number of pages that this run has requested. The page limit applies to it. */
  fetched: number
}

const pagePrefix = 'p'
const queuePrefix = 'q'
const textPrefix = 'd'
const sitemapPrefix = 's'
const hostPrefix = 'h'
const hostCountsPrefix = 'k'
const factPrefix = 'f'
// The separator sorts before every character of a host name. So the keys of a host are contiguous, and the keys of a longer
// name that starts with the host are not among them.
const separator = '\0'
const afterSeparator = '\x01'

/** Keys of the frontier's database: UTF-8 strings in byte order. */
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
  text: (host: string, textHash: string) => textPrefix + host + separator + textHash,
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

/** The parts of a queue key, most significant first. */
export interface QueuePosition {
  host: string
  /** Epoch ms; 0 means at once. */
  dueAt: number
  priority: number
  depth: number
  sequence: number
}

/** Encodes a queue key. The keys of a host sort by due time, priority, depth and arrival, so the first key is the next URL. */
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

/** Decodes a queue key. */
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
