import type { Fields } from '@asof/extract/page'
import type { FieldFilter } from '../fields/field-filter.ts'
import type { Page, TimeInput } from '../page.ts'
import type { SearchWeights } from '../relevance/relevance.ts'
import type { Snippet } from '../snippet/snippet.ts'

/**
 * The mode of a search. `realtime` ranks pages by BM25F. `pro` re-ranks the best hits by more signals. `webql` reads
 * the query in the full query language and ranks like `realtime`.
 */
export type SearchMode = 'pro' | 'realtime' | 'webql'

/**
 * Filters and limits of a search. Bounds of time are inclusive: a date as an upper bound means the end of its day. A delta counts back
 * from `queryTime`, or from now. An empty time or `site` is like `undefined`.
 */
export interface SearchOptions {
  /** Default `pro`. */
  mode?: SearchMode
  /** A domain, including its subdomains. */
  site?: string
  /**
   * Domains, at most 100. Pages must be on one of them or its subdomains. A domain may have a path: `example.com/docs` means pages with the path
   * `/docs`, or one that begins with `/docs/`. Upper and lower case of a path differ. An empty list means "not given".
   */
  sites?: readonly string[]
  /** Domains, at most 100, with or without a path. Pages on them or their subdomains are left out. */
  excludeSites?: readonly string[]
  /**
   * Conditions on fields. The values are those that a page had at the instant of the answer. A field that no page ever had
   * is an error (ASOF_INVALID_OPTION). A field that pages have only after the instant gives a warning.
   */
  filter?: FieldFilter
  /**
   * Only captures acquired at this instant or later: a date (the start of its day), a timestamp, epoch ms, or a delta back from `queryTime`
   * or now, such as `7d`.
   */
  acquiredAfter?: TimeInput
  /** Only captures acquired at this instant or before; a date means the end of its day. */
  acquiredBefore?: TimeInput
  /** Only pages published at this instant or later. A page without a publish date never matches. */
  publishedAfter?: TimeInput
  /** Only pages published at this instant or before. A page without a publish date never matches. */
  publishedBefore?: TimeInput
  /**
   * True to accept the unit `w` (weeks) in the four time filters and in the ranges of a `webql` query. `queryTime`
   * always accepts it. Default false.
   */
  weeksInFilters?: boolean
  /**
   * The instant of the answer. Captures acquired later are neither found nor counted in any statistic. An instant up to
   * 60 s ahead of the engine's clock means now. The receipt contains the instant that was used. Default now.
   */
  queryTime?: TimeInput
  /** 1 to 1,000. Default 10. */
  maxResults?: number
  /**
   * Fields whose values are counted over all matches, at most 32. `tags` counts each value, `tags:de*` the keywords that begin with
   * `de`, `price:10` the values in each bucket of 10, and `released:month` those of each month (`hour`, `day`, `week`, `month` or
   * `year`, UTC). `publishedAt` and `acquiredAt` are the dates of the page and of its text, even if a field has such a name.
   */
  facets?: readonly string[]
  /**
   * Maximum number of values of a facet, 1 to 1,000: those with the highest counts, and of equal counts the lower values.
   * Default 100.
   */
  maxFacetValues?: number
  /**
   * The order of the results: `score`, or a field with numbers or instants, `publishedAt` or `acquiredAt`, with `:asc`
   * (default) or `:desc`. Up to four of these, separated by commas: each orders the results that are equal by those before it. Pages
   * without a value come last. Default: `score`; for an empty query `acquiredAt:desc`.
   */
  sort?: string
  /** Number of first results that are left out, 0 to 10,000. Default 0. */
  offset?: number
  /**
   * The `next` of the answer with the previous page. All options that decide which pages match, and in which order, must be those of the request
   * for that page.
   */
  cursor?: string
  /**
   * The language of the query, a BCP 47 tag. Words are found in all their forms in this language. Default: the language
   * is detected from the words, among the languages of the pages in the index.
   */
  language?: string
  /**
   * True if somebody is still typing the query. Not possible in the mode `webql`. Pages are then also found by words that begin like
   * the last one, unless white space follows it, and by words with typos: one in words of 5 letters or more, two from 9. Default false.
   */
  typing?: boolean
  /**
   * True to search for the query only as it is written: if no page has what it quotes, the quoted words are not searched for in other forms or
   * like other words, and words that no page has are neither corrected nor split. Not together with `typing`. Default false.
   */
  strict?: boolean
  /** How much a word counts in each part of a page. Default: the weights of the relevance of the index. */
  weights?: SearchWeights
  /** 180 to 10,000 UTF-16 units, or 0 for no snippets. Default 600. */
  snippetMaxLength?: number
  /**
   * Maximum length of the `content` of each result, UTF-16 units, up to 100,000. Times `maxResults`, it may be at most 10,000,000. Default 0:
   * results have no content.
   */
  contentMaxLength?: number
  /** Adds to each result the `passages` that answer the query best. Default: results have none. */
  passages?: ResultPassagesOptions
  /** True to add `author` and `lastSeenAt` to results. Default false. */
  details?: boolean
  /** False to leave `titleHighlights` of results empty, which saves reading each title word by word. Default true. */
  titleHighlights?: boolean
  /**
   * True if the engine's models may get the query. If false, the answer is that of an engine without models. Default
   * true.
   */
  models?: boolean
  /** True to add timings and the parts of the scores to the answer. Default false. */
  explain?: boolean
}

/** Which passages the results of a search have. */
export interface ResultPassagesOptions {
  /** Maximum number of UTF-16 units of all passages of a result together, 180 to 10,000. */
  maxChars: number
  /** Maximum length of a passage, UTF-16 units, 180 to 2,000. Default 2,000. */
  maxLength?: number
  /** What the passages are to answer, if not the query of the search: words, at most 2,048 UTF-16 units. */
  query?: string
}

/** A part of a page that answers a query. */
export interface ResultPassage {
  /**
   * The passage as it is in the Markdown of the page: whole paragraphs, list items, table rows and code blocks, at most 2,000 UTF-16 units. A
   * paragraph of over 1,000 units is split between sentences.
   */
  text: string
  /** Where the passage is in the Markdown of the page (`Page.markdown` as of the instant): `[start, end)`, UTF-16 units. */
  start: number
  end: number
  /**
   * What is above the passage, as plain text, outermost first: the headings of its section, then the head of its table, the line
   * that introduces it, or the list item that contains it. Empty if the page has nothing of this.
   */
  context: string[]
  /** How well the passage answers; greater is better. Scores of different queries cannot be compared. */
  score: number
}

/** A page that matches a query, as of the instant of the answer. */
export interface SearchResult {
  url: string
  title: string
  /**
   * The matching parts of `title`, as UTF-16 ranges `[start, end)`, ascending, with gaps between them. Empty if the option `titleHighlights` is
   * false.
   */
  titleHighlights: [start: number, end: number][]
  /** The score of the page for the query; greater is better. Scores of different queries cannot be compared. */
  score: number
  snippet: Snippet
  /** The publish date of the page at the instant of the answer: epoch milliseconds, UTC. */
  publishedAt?: number
  /** Where that date was found. Present only if the search has the option `explain`. */
  publishedFrom?: Page['publishedFrom']
  /** When the text was acquired: epoch milliseconds, UTC. */
  acquiredAt: number
  /**
   * The Markdown of the page at the instant of the answer, cut to the option `contentMaxLength`. Present only if the search has that option.
   */
  content?: string
  /** Parts of the Markdown that answer best, in the order of the page. Present only if the search has the option `passages`. */
  passages?: ResultPassage[]
  /** The author of the page at the instant of the answer. Present only if the search has the option `details`, and the page names one. */
  author?: string
  /**
   * When the page was last seen, up to the instant of the answer: epoch milliseconds, UTC. Present only if the search has the option `details`.
   */
  lastSeenAt?: number
  /** The fields of the page at the instant of the answer. Undefined if it had none. */
  fields?: Fields
  /**
   * The detected language of the page, ISO 639-1. Present only if the search has a `language` and that of the page
   * could be detected.
   */
  language?: string
}

/**
 * Identifies the state of the index that an answer was made from. For the same request, equal receipts mean equal
 * answers.
 */
export interface Receipt {
  /** The instant of the answer, epoch milliseconds. */
  instant: number
  /** Number of captures that stood at the instant: acquired up to it, and not superseded, removed, purged or expired by then. The ranking counts these. */
  captures: number
  /** Number of segments that contain a capture acquired up to the instant. Undefined for a cluster. */
  segments?: number
  /** The number of the format of the index on disk. */
  format: number
  /** The number of the text rules that turn texts into terms. */
  analyzer: number
  /** The number of the rules that score and order hits, and choose passages. */
  ranking: number
  /** The part of the ranking that answered: `bm25f`, `pro`, or `pro-meaning` if vectors took part. */
  profile: string
  /**
   * Number of declared observations up to the instant: captures, changes of searchable metadata (date, author, kind,
   * language, description), and removals of a page. Other observations were stamped by the engine.
   */
  declared: number
  /** Number of captures that were purged from all of time. */
  purged: number
  /** Number of captures that retention deleted. */
  dropped: number
  /**
   * The instant up to which retention has deleted superseded captures, epoch milliseconds. Answers as of this instant
   * or later are complete; earlier ones lack the deleted captures. Undefined if none were deleted.
   */
  retainedSince?: number
  /** The answer was ranked by the version of the relevance that is valid from this instant on, epoch ms. Undefined if none was set. */
  relevanceSince?: number
  /** Number of matches that a filter excluded because they have no publish date. Counted up to 1,000. */
  undated: number
  /** Present if vectors contributed to the ranking. */
  vectors?: VectorReceipt
  /** The name of the model that ordered the first results. Undefined if none did. */
  reranker?: string
}

/** The number of matches that have each value of a field. */
export interface FacetCounts {
  /** The facet as the option `facets` names it, such as `price:10`. */
  field: string
  /** The values with their numbers of matches: the highest number first, of equal numbers the lower value. Empty if no match has one. */
  values: FacetValue[]
}

/** A value, or a bucket of values, of a facet. */
export interface FacetValue {
  /** A keyword, number or boolean; an instant as ISO 8601 text. Of a bucket the beginning, such as `10` or `2025-05-01`. */
  value: string | number | boolean
  /** Number of matches that have it. */
  count: number
}

/** How an embeddings model contributed to an answer. */
export interface VectorReceipt {
  /** Identifies the embeddings model, see `Embedder.model`. */
  model: string
  /**
   * Number of captures that had a vector at the instant, all of which were compared with the query to find further candidates. 0 if the index
   * acquired more captures up to the instant than the option `vectorBytes` has memory for, or if the search returns no results: then vectors
   * only order the captures that words found.
   */
  compared: number
  /**
   * Number of vectors that {@link Engine.embed} added to captures later. These vectors may change answers as of the
   * past.
   */
  late: number
  /**
   * The first 64 bits of the SHA-256 of the query's vector, in hex. It is here because a model may return different
   * vectors for the same query.
   */
  query: string
}

/**
 * What a warning is about:
 *
 * - `page`: the query is a URL, whose page was looked up.
 * - `site`: the query is only a `site:`, and the name of the site was searched for. `site-pages`: no page has the name, so the pages of the site
 *   are listed.
 * - `address`: the query is an address, whose pages come first.
 * - `exclusions`: the query only excludes pages. `no-word`: it has no word.
 * - `operator`: an operator was read as words, or does not mean what it means in other search engines. `operators`: the query has operators and
 *   no word.
 * - `spelling`: words were corrected. `quotation`: quoted words were searched for in other forms, or like other words.
 * - `typing`: too many words of the index may be meant by a word that somebody is still typing.
 * - `unknown-field`: no page has a field of the request as of the instant. `boost`: a boost in the relevance of the index was left out, because
 *   it does not fit the fields of the index.
 * - `no-page`: the index has no page as of the instant.
 * - `model`: a model failed, and the answer was made without it.
 */
export type SearchWarningCode =
  | 'page'
  | 'site'
  | 'site-pages'
  | 'address'
  | 'exclusions'
  | 'no-word'
  | 'operator'
  | 'operators'
  | 'spelling'
  | 'quotation'
  | 'typing'
  | 'unknown-field'
  | 'boost'
  | 'no-page'
  | 'model'

/** How a search differed from its request, or why it found nothing. */
export interface SearchWarning {
  code: SearchWarningCode
  /** The warning as a sentence for people. */
  text: string
}

/** The answer of {@link Engine.search}: one page of results, and from which state of the index it was made. */
export interface SearchAnswer {
  /** The query; of a query that was given as a tree, its text. */
  query: string
  /** The mode of the request. */
  mode: SearchMode
  /** The results, best first or in the order of the option `sort`. */
  results: SearchResult[]
  /**
   * How the search differed from the request, or that the index has no page as of the instant: the texts of `warnings`, joined with
   * `; `. Undefined if there is nothing to report.
   */
  warning?: string
  /** The warnings, each with a code for programs. Undefined if there is nothing to report. */
  warnings?: SearchWarning[]
  /** Present if the query is a URL: that URL, normalized. The result is then the page of the URL. */
  queriedUrl?: string
  /** The facets, in the order of the option `facets`. Present if the option is given. */
  facets?: FacetCounts[]
  /** Present if one of the options `facets`, `sort`, `offset` and `cursor` is given, or the query is empty. */
  total?: Total
  /**
   * The highest score that a page could have by the words of the query: no score of the mode `realtime` or `webql` is above it. In the mode `pro`,
   * and by a reranking model, signals besides the words add to scores. 0 if nothing scores.
   */
  scoreBound: number
  /** The option `cursor` of the next page. Present if there is a next page, in answers that have a `total`. */
  next?: string
  /** The state of the index that the answer was made from. */
  receipt: Receipt
  /** Present if the option `explain` is true. */
  explain?: Explanation
}

/** The number of matches, on all pages of results. */
export interface Total {
  value: number
  /** False if there are more than `value`. Always true with facets, with a sort by value, and up to 10,000 matches. */
  exact: boolean
}

/** Timings of an answer, and the parts of its scores. */
export interface Explanation {
  timings: AnswerTimings
  /**
   * For each result, in order, what each term and signal adds to its score. Empty if a page was looked up by its URL.
   */
  scores: ScorePart[][]
  /**
   * The language by whose rules the query was analyzed, ISO 639-1: the option `language` or the detected language.
   * Undefined if no such rules applied, as always for English and in mode `webql`.
   */
  language?: string
}

/** The time that each step of an answer took on its thread, milliseconds. Waiting in the queue does not count. */
export interface AnswerTimings {
  /** Checking the request, and parsing and analyzing the query. */
  parse: number
  /**
   * Computing the document frequency of each term as of the instant. If the query was searched again in another form,
   * such as with corrected spelling, also all searches before the last one.
   */
  statistics: number
  /** Finding and re-ranking the best captures. */
  topK: number
  /** Reading the results and making their snippets. */
  snippets: number
  /** The sum of the other times. */
  total: number
}

/** What one term of the query, or one signal of `pro`, adds to the score of a result. */
export type ScorePart = TermPart | SignalPart

/**
 * What one term of the query adds to the score of a result. In mode `webql`, a `prefix*` or `fuzzy~` counts as one
 * occurrence in a page of average length, however many of its words the page contains.
 */
export interface TermPart {
  /**
   * The term as indexed: folded and, if it is English, stemmed. A quoted phrase that was searched for as single words
   * is in quotation marks, and counts like a word that occurs once in a page of average length.
   */
  term: string
  /** Inverse document frequency as of the instant, times the number of occurrences in the query. */
  weight: number
  /** Number of occurrences in the page. Those in the title count three times, or as often as `weights` says. */
  frequency: number
  /** Number of words of the page. Those of the title count three times. */
  length: number
  /** What this part adds to the score of the result. The parts add up exactly to that score. */
  score: number
}

/** What one signal of `pro` adds to the score of a result. */
export interface SignalPart {
  /** The name of the signal in the ranking profile. */
  signal: string
  /** Factor for `value`. It depends on the other candidates, so scores of different queries cannot be compared. */
  weight: number
  value: number
  /** What this part adds to the score of the result. The parts add up exactly to that score. */
  score: number
}
