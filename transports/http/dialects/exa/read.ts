import { z } from 'zod'
import { type InputOf, limits, refusedFields } from '../../../../service/index.ts'
import type { SentRequest } from '../frame/dialect.ts'
import { oneInstant } from '../frame/instants.ts'
import { quoted } from '../frame/phrases.ts'
import { longestText } from '../frame/result-text.ts'
import { siteEntries } from '../frame/sites.ts'
import { isFields, readVendorFields, refuseStrayInstants, type VendorFieldRules } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'

const MAX_RESULTS = 100
const MAX_URLS = 100
const MAX_PHRASES = 10
const DEFAULT_HIGHLIGHT_CHARS = 600
const HOUR_MS = 3_600_000

const NO_MODEL = 'left out: it needs a language model, and asof has none'
const WHOLE_TEXT = 'left out: the text is the whole content of the page, without menus and footers'

const texts = z.array(z.string())
const optionSchema = z.looseObject({ maxCharacters: z.int().min(1).optional() })
const highlightSchema = optionSchema.extend({ query: z.string().optional() })
const options = z.union([z.boolean(), optionSchema], {
  error: 'must be true, false or an object',
})

const contentsFields = {
  text: options.default(false),
  highlights: options.default(false),
  snapshotAsOf: z.string().optional(),
  livecrawl: z.enum(['never', 'fallback', 'preferred', 'always', 'auto']).optional(),
  maxAgeHours: z.number().min(-1).optional(),
}
const contentsSchema = z.looseObject(contentsFields)
const contentsRules: VendorFieldRules = {
  leftOut: {
    summary: NO_MODEL,
    subpages: 'left out: an answer has only the pages themselves',
    subpageTarget: 'left out: an answer has only the pages themselves',
    extras: 'left out: results have no links and images',
    context: 'left out: join the texts of the results',
  },
  silent: ['livecrawlTimeout', 'filterEmptyResults', 'flags', 'metadata'],
}
const optionRules: Readonly<Record<'text' | 'highlights', VendorFieldRules>> = {
  text: {
    leftOut: {
      includeHtmlTags: 'left out: the text is Markdown, because asof keeps no HTML',
      includeSections: WHOLE_TEXT,
      excludeSections: WHOLE_TEXT,
      verbosity: WHOLE_TEXT,
    },
  },
  highlights: {
    leftOut: {
      numSentences: 'left out: use maxCharacters',
      highlightsPerUrl: 'left out: use maxCharacters',
    },
  },
}

const filterFields = {
  numResults: z.int().min(1).max(MAX_RESULTS).default(10),
  includeDomains: texts.optional(),
  excludeDomains: texts.optional(),
  startPublishedDate: z.string().optional(),
  endPublishedDate: z.string().optional(),
  startCrawlDate: z.string().optional(),
  endCrawlDate: z.string().optional(),
  includeText: texts.max(MAX_PHRASES).default([]),
  excludeText: texts.max(MAX_PHRASES).default([]),
  contents: z.union([z.literal(false), z.looseObject({})], { error: 'must be an object' }).optional(),
  query_time: z.string().optional(),
}
const searchFields = { ...filterFields, query: z.string() }
const searchSchema = z.looseObject(searchFields)
const searchRules: VendorFieldRules = {
  leftOut: {
    category: 'left out: results are pages of any kind',
    userLocation: 'left out: results are the same for everybody',
    additionalQueries: 'left out: send a search for each query',
    systemPrompt: NO_MODEL,
  },
  silent: ['type', 'moderation', 'useAutoprompt', 'flags'],
  refused: { outputSchema: NO_MODEL, stream: NO_MODEL },
}
const similarFields = { ...filterFields, url: z.string(), excludeSourceDomain: z.boolean().default(false) }
const similarSchema = z.looseObject(similarFields)

const pagesFields = {
  ...contentsFields,
  urls: texts.max(MAX_URLS).optional(),
  ids: texts.max(MAX_URLS).optional(),
  query_time: z.string().optional(),
}
const pagesSchema = z.looseObject(pagesFields)

/** The names of Exa for the fields of a search of asof. */
export const searchNames: Readonly<Record<string, string>> = {
  max_results: 'numResults',
  sites: 'includeDomains',
  exclude_sites: 'excludeDomains',
  published_after: 'startPublishedDate',
  published_before: 'endPublishedDate',
  acquired_after: 'startCrawlDate',
  acquired_before: 'endCrawlDate',
  query_time: 'contents.snapshotAsOf',
  passages_query: 'contents.highlights.query',
}

/** The names of Exa for the fields of a fetch of asof. */
export const pageNames: Readonly<Record<string, string>> = {
  url: 'urls',
  query_time: 'snapshotAsOf',
  live: 'livecrawl',
}

/** What each result is to have. */
export interface WantedContents {
  /** Maximum length of the text of a result, characters. Undefined for results without a text. */
  textChars: number | undefined
  /** True if the request allows longer texts, so that a text that was cut needs a warning. */
  allowsLonger: boolean
  /** Maximum length of the highlights of a result, characters. Undefined for results without highlights. */
  highlightChars: number | undefined
  /** What the highlights answer. Undefined for the query of the search. */
  highlightQuery: string | undefined
}

/**
 * Returns what each result is to have.
 *
 * @param path - the path of the fields, which ends in a dot unless it is empty.
 * @param most - the longest text that an answer of asof can have, characters.
 */
function wantedOf(
  { text, highlights }: z.output<typeof contentsSchema>,
  { path, most, warnings }: { path: string; most: number; warnings: DialectWarning[] },
): WantedContents {
  const readBy = (name: 'text' | 'highlights') => ({ path: `${path}${name}.`, rules: optionRules[name], warnings })
  const { maxCharacters: textChars } = readVendorFields(optionSchema, isFields(text) ? text : {}, readBy('text'))
  const { maxCharacters: highlightChars, query: highlightQuery } = readVendorFields(
    highlightSchema,
    isFields(highlights) ? highlights : {},
    readBy('highlights'),
  )
  return {
    textChars: text === false ? undefined : Math.min(textChars ?? most, most),
    allowsLonger: textChars === undefined || textChars > most,
    highlightChars: highlights === false ? undefined : (highlightChars ?? DEFAULT_HIGHLIGHT_CHARS),
    highlightQuery,
  }
}

/** A search, without its query. */
interface ExaFilters {
  /** `max_results` may exceed the limit of asof. */
  request: Omit<InputOf<'search'>, 'query'> & { max_results: number }
  wanted: WantedContents
  warnings: DialectWarning[]
  /** Adds to a query the texts that a page must have or must not have. */
  withTexts: (query: string) => string
}

function readFilters(
  fields: z.output<z.ZodObject<typeof filterFields>>,
  sent: SentRequest,
  warnings: DialectWarning[],
): ExaFilters {
  const { numResults, includeText, excludeText } = fields
  const read = { path: 'contents.', rules: contentsRules, warnings }
  const contents = readVendorFields(contentsSchema, fields.contents || {}, read)
  const { snapshotAsOf, livecrawl, maxAgeHours } = contents
  const wanted = wantedOf(contents, { path: 'contents.', most: longestText(numResults), warnings })
  const live = maxAgeHours === undefined ? 'livecrawl' : 'maxAgeHours'
  if (livecrawl === 'always' || (maxAgeHours ?? -1) >= 0)
    throw refusedFields('invalid_request', [
      { path: `contents.${live}`, reason: 'a search has the texts of the index; ask /contents for those of now' },
    ])
  if (livecrawl === 'preferred')
    warnings.push({ path: 'contents.livecrawl', message: 'left out: a search has the texts of the index' })
  const phrases = [...quoted('includeText', includeText), ...quoted('excludeText', excludeText, '-')]
  const { min, max } = limits.resultPassagesChars
  const include: InputOf<'search'>['include'] = ['author']
  if (wanted.textChars !== undefined) include.push('content')
  if (wanted.highlightChars !== undefined) include.push('passages')
  return {
    request: {
      max_results: numResults,
      sites: siteEntries('includeDomains', fields.includeDomains, warnings),
      exclude_sites: siteEntries('excludeDomains', fields.excludeDomains, warnings),
      published_after: fields.startPublishedDate,
      published_before: fields.endPublishedDate,
      acquired_after: fields.startCrawlDate,
      acquired_before: fields.endCrawlDate,
      query_time: oneInstant(sent, { 'contents.snapshotAsOf': snapshotAsOf, query_time: fields.query_time }),
      include,
      content_max_chars: wanted.textChars,
      passages_max_chars: wanted.highlightChars && Math.min(max, Math.max(min, wanted.highlightChars)),
      passages_query: wanted.highlightQuery || undefined,
      strict: phrases.length > 0,
    },
    wanted,
    warnings,
    withTexts: query => [query, ...phrases].join(' '),
  }
}

const instantsOfSearches = ['contents.snapshotAsOf', 'query_time']

/** Reads the request of `/search`. */
export function readSearch(sent: SentRequest): ExaFilters & { query: string } {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, instantsOfSearches)
  const fields = readVendorFields(searchSchema, sent.fields, { path: '', rules: searchRules, warnings })
  const filters = readFilters(fields, sent, warnings)
  return { ...filters, query: filters.withTexts(fields.query) }
}

/** A search for the pages that are similar to a page. It finds one more than the request asks for, because it also finds that page. */
interface ExaSimilar extends ExaFilters {
  url: string
  excludesSite: boolean
  /** Maximum number of results of the answer. */
  most: number
}

/** Reads the request of `/findSimilar`. */
export function readSimilar(sent: SentRequest): ExaSimilar {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, instantsOfSearches)
  const fields = readVendorFields(similarSchema, sent.fields, { path: '', rules: searchRules, warnings })
  const { numResults: most, url, excludeSourceDomain: excludesSite } = fields
  return { ...readFilters({ ...fields, numResults: most + 1 }, sent, warnings), most, url, excludesSite }
}

/** A request for the contents of pages. */
export interface ExaPages {
  urls: readonly string[]
  query_time: string | undefined
  /** Where each page comes from: the index, its site, or its site unless the index saw it within this time, milliseconds. */
  from: 'index' | 'site' | { seenWithinMs: number }
  /** True if a page comes from the index when its site does not serve it. */
  fallsBack: boolean
  /** The time of the request, epoch ms. */
  requestedAt: number
  wanted: WantedContents
  warnings: DialectWarning[]
}

/** Reads the request of `/contents`. */
export function readPages(sent: SentRequest): ExaPages {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['snapshotAsOf', 'query_time'])
  const fields = readVendorFields(pagesSchema, sent.fields, { path: '', rules: contentsRules, warnings })
  const { ids, urls = ids, snapshotAsOf, livecrawl, maxAgeHours = -1 } = fields
  if (urls === undefined) throw refusedFields('invalid_request', [{ path: 'urls', reason: 'is required' }])
  if (fields.urls && ids) throw refusedFields('invalid_request', [{ path: 'ids', reason: 'not together with urls' }])
  const query_time = oneInstant(sent, { snapshotAsOf, query_time: fields.query_time })
  const fallsBack = livecrawl === 'preferred' && maxAgeHours < 0
  const isLive = maxAgeHours === 0 || (maxAgeHours < 0 && (livecrawl === 'always' || fallsBack))
  if (query_time !== undefined && (isLive || maxAgeHours > 0))
    throw refusedFields('invalid_request', [
      { path: maxAgeHours < 0 ? 'livecrawl' : 'maxAgeHours', reason: 'not together with an instant of the past' },
    ])
  if (fields.highlights !== false)
    warnings.push({ path: 'highlights', message: 'left out: highlights are passages for the query of a search' })
  return {
    urls,
    query_time,
    from: isLive ? 'site' : maxAgeHours > 0 ? { seenWithinMs: maxAgeHours * HOUR_MS } : 'index',
    fallsBack,
    requestedAt: sent.requestedAt,
    wanted: wantedOf(fields, { path: '', most: limits.fetchChars.longest, warnings }),
    warnings,
  }
}
