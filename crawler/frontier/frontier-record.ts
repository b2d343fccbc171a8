/** Version of the frontier's keys and records. A folder with another version is not opened. */
export const FRONTIER_FORMAT = 3

/**
 * The state of a URL. A `pending` URL is to be fetched. The other states are final in a run: the URL was fetched
 * (`done`), could not be fetched (`failed`), or counts for nothing (`skipped`: robots.txt forbids it, it redirects out
 * of the scope, it has an irrelevant parameter, or it is only claimed and gives no page).
 */
export type UrlState = 'pending' | 'done' | 'failed' | 'skipped'

/** Number of URLs in each state. */
export type StateCounts = Record<UrlState, number>

/** Number of URLs of one host. */
export interface HostCounts {
  known: number
  pending: number
}

/** What the frontier knows about a URL. Instants are epoch ms. */
export interface FrontierRecord {
  state: UrlState
  /** Number of links from a seed to the page; 0 for a seed. */
  depth: number
  /** The first page, sitemap or feed with the URL. Undefined for a seed. */
  foundOn?: string
  /** True if nothing links to the URL, and it never answered: pages only claim it as their address. */
  claimedOnly?: true | undefined
  /** 0 (visited first) to 9 (visited last). */
  priority: number
  /** Number of the last run that finished the URL; 0 if none has. */
  run: number
  /** Number of failed attempts in this run. */
  attempts: number
  etag?: string | undefined
  lastModified?: string | undefined
  /** The key of the field rules with which the page was read last, see `CorpusFields`. Absent if there were none. */
  fieldsKey?: string | undefined
  lastFetchedAt?: number | undefined
  /**
   * The URL under which the index stores the page: its own, the target of a redirect, or that of a page with the same
   * text.
   */
  storedAs?: string | undefined
  /** The address that the page claims, if it is another one. */
  claim?: string | undefined
  /** Hash of the text that is stored under this URL. */
  textHash?: string | undefined
  /** Number of consecutive visits at which the page was gone. */
  missing?: number | undefined
  /** Error code of the last failure. */
  error?: string | undefined
  /** Number of visits at which the text was compared with that of the visit before. */
  visits?: number | undefined
  /** Number of these visits at which the text had changed. */
  changes?: number | undefined
  /** Total time between these visits and the visits before them, ms. */
  watchedMs?: number | undefined
  /** The fetched content is fresh until this instant, if the site declares one (RFC 9111). */
  freshUntilAt?: number | undefined
}

/** A record as LevelDB holds it. */
export interface QueuedRecord extends FrontierRecord {
  /** The URL's key in the queue. Undefined if the URL is not queued. */
  queueKey?: string
}

/** The progress of a run. An unfinished run is resumed by the next crawl. */
export interface RunRecord {
  /** Number of the run, counted from 1. */
  run: number
  /** `requeueing`: known URLs are being queued, and nothing is fetched yet. */
  state: 'requeueing' | 'running' | 'finished'
  /**
   * True for a run that never ends and visits each page when it is due. Undefined for a run that visits each page once.
   */
  watch?: true
  startedAt: number
  /** The last known URL that was queued. Present while the run is `requeueing`. */
  cursor?: string
  /** Number of pages requested in this run, which the page limit applies to. */
  fetched: number
}

const PAGE_PREFIX = 'p'
const QUEUE_PREFIX = 'q'
const TEXT_PREFIX = 'd'
const SITEMAP_PREFIX = 's'
const HOST_PREFIX = 'h'
const HOST_COUNTS_PREFIX = 'k'
const FACT_PREFIX = 'f'
// The separator sorts before all characters of host names. So the keys of a host are adjacent, without those of a
// longer host name that begins with it.
const SEPARATOR = '\0'
const AFTER_SEPARATOR = '\x01'

/** Keys in the frontier's database: UTF-8 strings, which sort by their bytes. */
export const frontierKeys = {
  format: '!format',
  run: '!run',
  counts: '!counts',
  sequence: '!sequence',
  page: (url: string) => PAGE_PREFIX + url,
  pageRange: (after?: string) => ({
    gt: PAGE_PREFIX + (after ?? ''),
    lt: String.fromCharCode(PAGE_PREFIX.charCodeAt(0) + 1),
  }),
  urlOfPage: (key: string) => key.slice(PAGE_PREFIX.length),
  text: (host: string, textHash: string) => TEXT_PREFIX + host + SEPARATOR + textHash,
  sitemap: (url: string) => SITEMAP_PREFIX + url,
  hostCounts: (host: string) => HOST_COUNTS_PREFIX + host,
  fact: (name: string) => FACT_PREFIX + name,
  scopeHost: (url: string) => HOST_PREFIX + url,
  scopeHostRange: { gt: HOST_PREFIX, lt: String.fromCharCode(HOST_PREFIX.charCodeAt(0) + 1) },
  queueHostRange: (host: string) => ({
    gte: QUEUE_PREFIX + host + SEPARATOR,
    lt: QUEUE_PREFIX + host + AFTER_SEPARATOR,
  }),
  queueAfterHost: (host: string) => ({
    gte: host === '' ? QUEUE_PREFIX : QUEUE_PREFIX + host + AFTER_SEPARATOR,
    lt: String.fromCharCode(QUEUE_PREFIX.charCodeAt(0) + 1),
  }),
}

/** The parts of a queue key, in the order in which they decide. */
export interface QueuePosition {
  host: string
  /** Epoch ms; 0 for at once. */
  dueAt: number
  priority: number
  depth: number
  sequence: number
}

/**
 * Encodes a queue key. The keys of a host sort by due time, priority, depth and arrival, so the first key is that of
 * the next URL.
 */
export function encodeQueueKey(position: QueuePosition): string {
  const { host, dueAt, priority, depth, sequence } = position
  return (
    QUEUE_PREFIX +
    host +
    SEPARATOR +
    hex(dueAt, 12) +
    hex(priority, 1) +
    hex(Math.min(depth, 0xffff), 4) +
    hex(sequence, 12)
  )
}

/** Decodes a queue key. */
export function decodeQueueKey(key: string): QueuePosition {
  const end = key.indexOf(SEPARATOR)
  const number = (from: number, digits: number) =>
    Number.parseInt(key.slice(end + 1 + from, end + 1 + from + digits), 16)
  return {
    host: key.slice(QUEUE_PREFIX.length, end),
    dueAt: number(0, 12),
    priority: number(12, 1),
    depth: number(13, 4),
    sequence: number(17, 12),
  }
}

function hex(value: number, digits: number): string {
  return Math.floor(value).toString(16).padStart(digits, '0')
}
