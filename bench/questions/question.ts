/** One query with its filters. Instants are epoch milliseconds; bounds are inclusive. */
export interface Question {
  /** `or`: at least one word; `and`: all words; `phrase`: adjacent words in this order; `all`: all pages, the newest first. */
  form: 'or' | 'and' | 'phrase' | 'all'
  words: string[]
  /** Number of results. */
  limit: number
  /** Searches as of this instant. */
  instant?: number
  /** Only pages acquired in this window. */
  acquired?: [from: number, to: number]
  /** Only pages published in this window. */
  published?: [from: number, to: number]
  /** Only pages of this host. */
  site?: string
  /** Only pages whose field `share` is below this, see `fieldsOf`. */
  shareBelow?: number
  /** True if matches are counted by the values of the field `group`. */
  facet?: boolean
  /** True if the pages that were published last come first. */
  newestFirst?: boolean
  /** Number of first results to leave out. */
  offset?: number
  /** Default `ids` for engines that can answer so, and `results` for asof. */
  contents?: Contents
  /** True for the mode `pro`. */
  pro?: boolean
}

/** `ids`: the number of each result; `results`: also its URL, title and publish date; `answers`: also a snippet of 600 characters. */
export type Contents = 'ids' | 'results' | 'answers'

/** Returns true if an instant is in a window of a {@link Question}, or if there is no window. */
export function isInWindow(instant: number | undefined, window: [from: number, to: number] | undefined): boolean {
  return window === undefined || (instant !== undefined && instant >= window[0] && instant <= window[1])
}

/** The lanes, which are kinds of queries, in the order of the report. */
export const laneAbout = {
  or10: 'OR of 2–6 words, top 10',
  or100: 'OR of 2–6 words, top 100',
  or12: 'OR of 12 different words in a row of a page, function words too, top 10',
  or40: 'OR of 40 such words, top 10',
  rare: 'one word of at most one page in a thousand, top 10',
  and: 'AND of 2–4 words of one page, top 10',
  phrase: 'two adjacent words of a page, top 10',
  asof: 'or10 as of random past instants',
  'or12-asof': 'or12 as of random past instants',
  'or40-asof': 'or40 as of random past instants',
  'acquired-1': 'or10, acquired in a window of 1 % of the pages',
  'acquired-10': 'or10, acquired in a window of 10 %',
  'acquired-50': 'or10, acquired in a window of 50 %',
  'published-1': 'or10, published in a window of 1 % of the dated pages',
  'published-10': 'or10, published in a window of 10 %',
  'published-50': 'or10, published in a window of 50 %',
  site: 'or10 on the host of a random page',
  'filter-1': 'or10, with a condition on a field that 1 % of the pages fulfill',
  'filter-10': 'or10, with a condition that 10 % fulfill',
  'filter-50': 'or10, with a condition that 50 % fulfill',
  facets: 'the newest 10 of a tenth of the pages, and the counts of all of them by a field with ten values',
  'sort-date': 'or10 by publish date instead of score',
  'page-100': 'or10, results 991 to 1000',
  ids: 'or10 as document numbers; results of asof have URL, title and dates as well',
  results: 'or10 with URL, title and publish date of each result',
  answers: 'or10 with URL, title, publish date and a snippet of 600 characters of each result',
  pro: 'or10 in mode pro',
  'pro-answers': 'answers in mode pro',
} as const

export type LaneName = keyof typeof laneAbout
/** The cast is safe because the object has no keys besides those of its type. */
export const laneNames = Object.keys(laneAbout) as LaneName[]
/** Lanes that only asof answers. */
export const ownLanes: ReadonlySet<LaneName> = new Set(['pro', 'pro-answers'])
/** Lanes with the contents of results, which only asof, Lucene, tantivy and SeekStorm answer. */
export const contentLanes: ReadonlySet<LaneName> = new Set(['results', 'answers'])

/** Lanes with fields, sorting and pages, which only asof and Lucene answer. */
export const fieldLanes: ReadonlySet<LaneName> = new Set([
  'filter-1',
  'filter-10',
  'filter-50',
  'facets',
  'sort-date',
  'page-100',
])

/** Measurements besides the lanes: of asof, and `throughput` also of Lucene, tantivy and SeekStorm. */
export const studyAbout = {
  steps: 'time of each step of an answer, as explain reports it',
  throughput: 'answers per second on one thread and on all, and the delay of the event loop',
  merge: 'latency while all segments of a copy of the index are merged into one',
  html: 'indexing HTML: extraction alone, indexing its Markdown alone, and both',
} as const

export type StudyName = keyof typeof studyAbout
/** The cast is safe because the object has no keys besides those of its type. */
export const studyNames = Object.keys(studyAbout) as StudyName[]
