import { z } from 'zod'
import { type InputOf, limits, refusedFields } from '../../../../service/index.ts'
import type { SentRequest } from '../frame/dialect.ts'
import { oneInstant } from '../frame/instants.ts'
import { siteEntries } from '../frame/sites.ts'
import { slashDate } from '../frame/slash-date.ts'
import { readVendorFields, refuseStrayInstants, type VendorFieldRules } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'

const MAX_RESULTS = 20
const DEFAULT_RESULTS = 10
/** The average length of a token of a language model, in text of Latin letters. */
const CHARS_PER_TOKEN = 4

const deltas = { hour: '1h', day: '1d', week: '7d', month: '1mo', year: '1y' } as const
/** Characters of a snippet for the words of Perplexity. */
const contextChars = { low: 600, medium: 2_000, high: 4_000 } as const

const size = z.int().min(1).optional()
const fields = {
  query: z.union([z.string(), z.array(z.string()).min(1)]),
  max_results: z.int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
  max_tokens: size,
  max_tokens_per_page: size,
  search_context_size: z.enum(['low', 'medium', 'high']).default('high'),
  search_domain_filter: z.array(z.string()).default([]),
  search_recency_filter: z.enum(['hour', 'day', 'week', 'month', 'year']).optional(),
  search_after_date_filter: z.string().optional(),
  search_before_date_filter: z.string().optional(),
  search_mode: z.enum(['web', 'academic', 'sec']).default('web'),
  search_type: z.enum(['web', 'people']).default('web'),
  snapshot_as_of: z.string().optional(),
  query_time: z.string().optional(),
}
const NO_UPDATES = 'asof filters by the publish date: use search_after_date_filter and search_before_date_filter'
const rules: VendorFieldRules = {
  leftOut: { country: 'left out: results are the same for everybody' },
  silent: ['display_server_time'],
  refused: {
    last_updated_after_filter: NO_UPDATES,
    last_updated_before_filter: NO_UPDATES,
    search_language_filter: 'asof cannot leave out pages by their language',
  },
}

/** The names of Perplexity for the fields of a search of asof. */
export const searchNames: Readonly<Record<string, string>> = {
  sites: 'search_domain_filter',
  exclude_sites: 'search_domain_filter',
  published_after: 'search_after_date_filter',
  published_before: 'search_before_date_filter',
  query_time: 'snapshot_as_of',
}

export interface PerplexitySearch {
  request: InputOf<'search'> & { max_results: number }
  warnings: DialectWarning[]
}

/** @throws ServiceError invalid_request - the value is not such a date. */
function dateOf(path: string, value: string | undefined): string | undefined {
  if (!value) return undefined
  const date = slashDate(value)
  if (date === undefined) throw refusedFields('invalid_request', [{ path, reason: 'must be a date such as 1/31/2025' }])
  return date
}

/** Reads the request of `/search`. */
export function readSearch(sent: SentRequest): PerplexitySearch {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['snapshot_as_of', 'query_time'])
  const given = readVendorFields(z.looseObject(fields), sent.fields, { path: '', rules, warnings })
  const refuse = (path: string, reason: string) => refusedFields('invalid_request', [{ path, reason }])
  const [query = '', ...others] = [given.query].flat()
  if (others.length > 0) throw refuse('query', 'send a search for each query')
  if (given.search_mode !== 'web') throw refuse('search_mode', 'asof has one index of pages of any kind')
  if (given.search_type !== 'web') throw refuse('search_type', 'asof has one index of pages of any kind')
  const { search_domain_filter: domains, search_recency_filter: recency, snapshot_as_of, query_time } = given
  const after = dateOf('search_after_date_filter', given.search_after_date_filter)
  if (recency && after) throw refuse('search_recency_filter', 'not together with search_after_date_filter')
  const path = 'search_domain_filter'
  const excluded = domains.filter(domain => domain.startsWith('-')).map(domain => domain.slice(1))
  const chars = Math.min(
    CHARS_PER_TOKEN * (given.max_tokens_per_page ?? Number.POSITIVE_INFINITY),
    CHARS_PER_TOKEN * Math.floor((given.max_tokens ?? Number.POSITIVE_INFINITY) / given.max_results),
  )
  const { min, max } = limits.snippetChars
  const wanted = Number.isFinite(chars) ? chars : contextChars[given.search_context_size]
  return {
    request: {
      query,
      max_results: given.max_results,
      sites: siteEntries(
        path,
        domains.filter(domain => !domain.startsWith('-')),
        warnings,
      ),
      exclude_sites: siteEntries(path, excluded, warnings),
      published_after: after ?? (recency && deltas[recency]),
      published_before: dateOf('search_before_date_filter', given.search_before_date_filter),
      query_time: oneInstant(sent, { snapshot_as_of, query_time }),
      snippet_max_length: Math.min(max, Math.max(min, wanted)),
    },
    warnings,
  }
}
