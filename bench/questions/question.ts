/** One query with its conditions. Instants are epoch milliseconds, bounds inclusive. */
export interface Question {
  /** `or`: at least one word; `and`: every word; `phrase`: the words side by side. */
  form: 'or' | 'and' | 'phrase'
  words: string[]
  limit: number
  /** Answer as of this instant. */
  queryAt?: number
  acquired?: [from: number, to: number]
  published?: [from: number, to: number]
  /** A host. */
  site?: string
  /** Whole answers: with snippets. */
  snippets?: boolean
  /** Ranked by `pro`. */
  pro?: boolean
}

/** Lanes in the order of the report: what is asked in each. */
export const laneAbout = {
  or10: 'OR of 2–6 words, top 10',
  or100: 'OR of 2–6 words, top 100',
  and: 'AND of 2–4 words of one page, top 10',
  phrase: 'two adjacent words of a page, top 10',
  asof: 'or10 as of random past cuts',
  'acquired-1': 'or10, acquired in a window of 1 % of the pages',
  'acquired-10': 'or10, acquired in a window of 10 %',
  'acquired-50': 'or10, acquired in a window of 50 %',
  'published-1': 'or10, published in a window of 1 % of the dated pages',
  'published-10': 'or10, published in a window of 10 %',
  'published-50': 'or10, published in a window of 50 %',
  site: 'or10 on the host of a random page',
  answers: 'or10 as whole answers: ten snippets of 600 characters',
  pro: 'or10, ranked by pro',
  'pro-answers': 'answers, ranked by pro',
} as const

export type LaneName = keyof typeof laneAbout
/** `Object.keys` promises no more than strings, since an object may have more keys than its type; these have not. */
export const laneNames = Object.keys(laneAbout) as LaneName[]
/** Lanes that ask for what asof alone has. */
export const ownLanes: ReadonlySet<LaneName> = new Set(['answers', 'pro', 'pro-answers'])

/** What is measured besides the lanes, of asof and where it can be of Lucene. */
export const studyAbout = {
  steps: 'where the time of whole answers goes, as explain tells',
  throughput: 'answers a second on one thread and on all, and the event loop meanwhile',
  merge: 'latency while all segments are merged into one, on a copy of the index',
  html: 'HTML in: extraction alone, its markdown in, and both',
} as const

export type StudyName = keyof typeof studyAbout
/** See {@link laneNames}. */
export const studyNames = Object.keys(studyAbout) as StudyName[]
