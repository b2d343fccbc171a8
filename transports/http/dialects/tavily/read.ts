import { z } from 'zod'
import { type InputOf, limits, refusedFields } from '../../../../service/index.ts'
import type { SentRequest } from '../frame/dialect.ts'
import { oneInstant } from '../frame/instants.ts'
import { hasQuotes, quoted } from '../frame/phrases.ts'
import { longestText } from '../frame/result-text.ts'
import { siteEntries } from '../frame/sites.ts'
import { readVendorFields, refuseStrayInstants, type VendorFieldRules } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'

const MAX_RESULTS = 20
const MAX_URLS = 20
const MAX_CHUNKS = 3
const CHUNK_CHARS = 500
/** Chunks of each result of an advanced search. */
const ADVANCED_CHUNKS = 3

export const NO_MODEL = 'left out: it needs a language model, and asof has none'
export const NO_IMAGES = 'left out: asof keeps no images'

/** The deltas of asof for the words of Tavily. */
const deltas = { day: '1d', d: '1d', week: '7d', w: '7d', month: '1mo', m: '1mo', year: '1y', y: '1y' } as const

const texts = z.array(z.string())
/** What clients say of themselves. Adapters also copy the options of a client, with its key, into bodies. */
export const silent = [
  'api_key',
  'apiKey',
  'apiBaseURL',
  'client_source',
  'clientSource',
  'project_id',
  'proxies',
  'timeout',
  'fetch_timeout',
  'cache_fallback',
  'safe_search',
]

const searchFields = {
  query: z.string(),
  max_results: z.int().min(1).max(MAX_RESULTS).default(5),
  include_domains: texts.optional(),
  exclude_domains: texts.optional(),
  include_domains_mode: z.enum(['restrict', 'prefer']).optional(),
  start_date: z.string().optional(),
  end_date: z.string().optional(),
  time_range: z.enum(['day', 'd', 'week', 'w', 'month', 'm', 'year', 'y']).optional(),
  days: z.int().min(1).optional(),
  topic: z.enum(['general', 'news', 'finance']).optional(),
  exact_match: z.boolean().default(false),
  chunks_per_source: z.int().min(1).max(MAX_CHUNKS).optional(),
  search_depth: z.enum(['basic', 'advanced', 'fast', 'ultra-fast']).optional(),
  include_raw_content: z.union([z.boolean(), z.enum(['markdown', 'text'])]).default(false),
  include_answer: z.union([z.boolean(), z.enum(['basic', 'advanced'])]).default(false),
  include_usage: z.boolean().default(false),
  language: z.string().optional(),
  query_time: z.string().optional(),
}
const searchSchema = z.looseObject(searchFields)
const searchRules: VendorFieldRules = {
  leftOut: {
    include_images: NO_IMAGES,
    include_image_descriptions: NO_IMAGES,
    include_favicon: NO_IMAGES,
    country: 'left out: results are the same for everybody',
    auto_parameters: NO_MODEL,
    max_tokens: 'left out: a client counts tokens itself',
  },
  silent,
  refused: {
    filter_by_language: 'asof cannot leave out pages by their language',
    max_hours: 'use start_date or time_range',
  },
}

/** The names of Tavily for the fields of a search of asof. */
export const searchNames: Readonly<Record<string, string>> = {
  sites: 'include_domains',
  exclude_sites: 'exclude_domains',
  published_after: 'start_date',
  published_before: 'end_date',
}

export interface TavilySearch {
  request: InputOf<'search'> & { max_results: number }
  /** The query as it was sent. */
  query: string
  /** Maximum number of chunks of the content of each result. Undefined for an excerpt instead. */
  chunks: number | undefined
  wantsUsage: boolean
  warnings: DialectWarning[]
}

type SearchFields = z.output<typeof searchSchema>

/** Returns the earliest publish date of a request: a date or a delta. */
function publishedAfter({ start_date, time_range, days, topic }: SearchFields): string | undefined {
  // Older clients send `days` in every search. It only means something for news.
  const delta = time_range ? deltas[time_range] : topic === 'news' && days !== undefined ? `${days}d` : undefined
  if (start_date && time_range)
    throw refusedFields('invalid_request', [{ path: 'time_range', reason: 'not together with start_date' }])
  return start_date || delta
}

/** Reads the request of `/search`. */
export function readSearch(sent: SentRequest): TavilySearch {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const fields = readVendorFields(searchSchema, sent.fields, { path: '', rules: searchRules, warnings })
  const { query, exact_match, include_domains_mode, topic } = fields
  const chunks = fields.chunks_per_source ?? (fields.search_depth === 'advanced' ? ADVANCED_CHUNKS : undefined)
  const include: InputOf<'search'>['include'] = []
  if (fields.include_raw_content !== false) include.push('content')
  if (chunks !== undefined) include.push('passages')
  const wantsContent = fields.include_raw_content !== false
  if (fields.include_answer !== false) warnings.push({ path: 'include_answer', message: NO_MODEL })
  if (fields.include_raw_content === 'text')
    warnings.push({ path: 'include_raw_content', message: 'the content is Markdown' })
  if (topic === 'news' || topic === 'finance')
    warnings.push({ path: 'topic', message: 'left out: results are pages of any kind' })
  const prefers = include_domains_mode === 'prefer' && (fields.include_domains ?? []).length > 0
  if (prefers)
    warnings.push({ path: 'include_domains', message: 'left out: asof cannot prefer domains, only restrict to them' })
  return {
    query,
    request: {
      query: exact_match && !hasQuotes(query) ? quoted('query', [query]).join() : query,
      strict: exact_match,
      max_results: fields.max_results,
      sites: prefers ? undefined : siteEntries('include_domains', fields.include_domains, warnings),
      exclude_sites: siteEntries('exclude_domains', fields.exclude_domains, warnings),
      published_after: publishedAfter(fields),
      published_before: fields.end_date,
      query_time: oneInstant(sent, { query_time: fields.query_time }),
      language: fields.language,
      snippet_max_length: CHUNK_CHARS,
      passages_max_chars: chunks && CHUNK_CHARS * chunks,
      passage_max_chars: chunks && CHUNK_CHARS,
      include,
      content_max_chars: wantsContent ? longestText(fields.max_results) : undefined,
    },
    chunks,
    wantsUsage: fields.include_usage,
    warnings,
  }
}

const extractFields = {
  urls: z.union([z.string(), texts.min(1).max(MAX_URLS)]),
  query: z.string().optional(),
  format: z.enum(['markdown', 'text']).optional(),
  include_usage: z.boolean().default(false),
  query_time: z.string().optional(),
}
const extractSchema = z.looseObject(extractFields)
const extractRules: VendorFieldRules = {
  leftOut: {
    include_images: NO_IMAGES,
    include_favicon: NO_IMAGES,
    chunks_per_source: 'left out: the content is what answers the query',
  },
  silent: [...silent, 'extract_depth'],
}

/** The names of Tavily for the fields of a fetch of asof. */
export const extractNames: Readonly<Record<string, string>> = { url: 'urls', prompt: 'query' }

export interface TavilyExtract {
  urls: readonly string[]
  request: Omit<InputOf<'fetch'>, 'url'>
  wantsUsage: boolean
  warnings: DialectWarning[]
}

/** Reads the request of `/extract`. */
export function readExtract(sent: SentRequest): TavilyExtract {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const fields = readVendorFields(extractSchema, sent.fields, { path: '', rules: extractRules, warnings })
  if (fields.format === 'text') warnings.push({ path: 'format', message: 'the content is Markdown' })
  return {
    urls: [fields.urls].flat(),
    request: {
      max_chars: limits.fetchChars.longest,
      prompt: fields.query || undefined,
      query_time: oneInstant(sent, { query_time: fields.query_time }),
    },
    wantsUsage: fields.include_usage,
    warnings,
  }
}
