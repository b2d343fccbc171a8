import { z } from 'zod'
import { type InputOf, limits, refusedFields } from '../../../../service/index.ts'
import type { SentRequest } from '../frame/dialect.ts'
import { oneInstant } from '../frame/instants.ts'
import { siteEntries } from '../frame/sites.ts'
import { readVendorFields, refuseStrayInstants, type VendorFieldRules } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'

const MAX_QUERIES = 5
const MAX_URLS = 20
const DEFAULT_RESULTS = 10
const DEFAULT_EXCERPT_CHARS = 1_500
const SECOND_MS = 1_000

/** Clients send null for what is not given. */
const chars = z.int().min(1).nullish()
const query = z.string().trim().min(1).max(limits.queryChars)
const shared = {
  objective: z.string().nullish(),
  max_chars_total: chars,
  session_id: z.string().nullish(),
  as_of: z.string().nullish(),
  query_time: z.string().nullish(),
}
const fetchPolicySchema = z.looseObject({
  max_age_seconds: z.number().min(0).nullish(),
  disable_cache_fallback: z.boolean().default(false),
})
const excerptSchema = z.looseObject({ max_chars_per_result: chars })
const group = z.looseObject({}).nullish()

const searchSchema = z.looseObject({
  ...shared,
  search_queries: z.array(query).min(1).max(MAX_QUERIES),
  mode: z.enum(['turbo', 'fast', 'basic', 'advanced']).nullish(),
  advanced_settings: group,
})
const searchSettingsSchema = z.looseObject({
  max_results: z.int().min(1).max(limits.results.max).nullish(),
  source_policy: group,
  fetch_policy: group,
  excerpt_settings: group,
})
const sourcePolicySchema = z.looseObject({
  include_domains: z.array(z.string()).nullish(),
  exclude_domains: z.array(z.string()).nullish(),
  after_date: z.string().nullish(),
})
const extractSchema = z.looseObject({
  ...shared,
  urls: z.array(z.string()).min(1).max(MAX_URLS),
  search_queries: z.array(query).max(MAX_QUERIES).nullish(),
  advanced_settings: group,
})
const extractSettingsSchema = z.looseObject({
  excerpt_settings: group,
  fetch_policy: group,
  full_content: z.union([z.boolean(), excerptSchema], { error: 'must be true, false or an object' }).default(false),
})

const rules: VendorFieldRules = { silent: ['client_model'] }
const settingsRules: VendorFieldRules = { leftOut: { location: 'left out: results are the same for everybody' } }
const fetchRules: VendorFieldRules = { silent: ['timeout_seconds'] }

/** The names of Parallel for the fields of a search of asof. */
export const searchNames: Readonly<Record<string, string>> = {
  query: 'search_queries',
  max_results: 'advanced_settings.max_results',
  sites: 'advanced_settings.source_policy.include_domains',
  exclude_sites: 'advanced_settings.source_policy.exclude_domains',
  published_after: 'advanced_settings.source_policy.after_date',
  passages_query: 'objective',
  query_time: 'as_of',
}

/** The names of Parallel for the fields of a fetch of asof. */
export const extractNames: Readonly<Record<string, string>> = {
  url: 'urls',
  prompt: 'objective',
  query_time: 'as_of',
  live: 'advanced_settings.fetch_policy.max_age_seconds',
}

/** The lengths of excerpts, characters. */
interface ExcerptLengths {
  perResult: number
  total: number
}

export interface ParallelSearch {
  /** Each is a search of its own. */
  queries: readonly string[]
  request: Omit<InputOf<'search'>, 'query'> & { max_results: number }
  lengths: ExcerptLengths
  session: string | undefined
  warnings: DialectWarning[]
}

export interface ParallelExtract {
  urls: readonly string[]
  query_time: string | undefined
  /** What excerpts are to answer. Undefined for the beginning of each page. */
  prompt: string | undefined
  /** Maximum length of the full content, characters. Undefined for excerpts only. */
  fullChars: number | undefined
  /** The stored page is enough if it was seen at or after this instant, epoch ms. Undefined for any. */
  seenSince: number | undefined
  /** True if a page comes from the index when its site does not serve it. */
  fallsBack: boolean
  lengths: ExcerptLengths
  session: string | undefined
  warnings: DialectWarning[]
}

const settingsPath = 'advanced_settings.'
const fetchPath = `${settingsPath}fetch_policy.`
const instantFields = ['as_of', 'query_time']

function instantIn(sent: SentRequest, fields: { as_of?: string | null; query_time?: string | null }) {
  return oneInstant(sent, { as_of: fields.as_of ?? undefined, query_time: fields.query_time ?? undefined })
}

function lengthsOf(total: number | null | undefined, given: unknown, warnings: DialectWarning[]): ExcerptLengths {
  const path = `${settingsPath}excerpt_settings.`
  const { max_chars_per_result } = readVendorFields(excerptSchema, given ?? {}, { path, rules: {}, warnings })
  return { perResult: max_chars_per_result ?? DEFAULT_EXCERPT_CHARS, total: total ?? Number.POSITIVE_INFINITY }
}

function readSettings<Schema extends z.ZodObject>(schema: Schema, given: unknown, warnings: DialectWarning[]) {
  return readVendorFields(schema, given ?? {}, { path: settingsPath, rules: settingsRules, warnings })
}

function readFetchPolicy(given: unknown, warnings: DialectWarning[]) {
  return readVendorFields(fetchPolicySchema, given ?? {}, { path: fetchPath, rules: fetchRules, warnings })
}

/** Reads the request of `/search`. */
export function readSearch(sent: SentRequest): ParallelSearch {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, instantFields)
  const fields = readVendorFields(searchSchema, sent.fields, { path: '', rules, warnings })
  const settings = readSettings(searchSettingsSchema, fields.advanced_settings, warnings)
  const sourcePath = `${settingsPath}source_policy.`
  const source = readVendorFields(sourcePolicySchema, settings.source_policy ?? {}, {
    path: sourcePath,
    rules: {},
    warnings,
  })
  const policy = readFetchPolicy(settings.fetch_policy, warnings)
  if (typeof policy.max_age_seconds === 'number')
    throw refusedFields('invalid_request', [
      {
        path: `${fetchPath}max_age_seconds`,
        reason: 'a search has the texts of the index; ask /v1/extract for those of now',
      },
    ])
  const lengths = lengthsOf(fields.max_chars_total, settings.excerpt_settings, warnings)
  const { min, max } = limits.resultPassagesChars
  const { search_queries: queries, objective } = fields
  return {
    queries,
    request: {
      max_results: settings.max_results ?? DEFAULT_RESULTS,
      sites: siteEntries(`${sourcePath}include_domains`, source.include_domains ?? undefined, warnings),
      exclude_sites: siteEntries(`${sourcePath}exclude_domains`, source.exclude_domains ?? undefined, warnings),
      published_after: source.after_date ?? undefined,
      query_time: instantIn(sent, fields),
      include: ['passages'],
      passages_max_chars: Math.min(max, Math.max(min, lengths.perResult)),
      passages_query: passagesQuery(objective, queries),
    },
    lengths,
    session: fields.session_id ?? undefined,
    warnings,
  }
}

/** Returns what the excerpts of all results are to answer. Undefined if there is only the query of the search. */
function passagesQuery(objective: string | null | undefined, queries: readonly string[]): string | undefined {
  if (!objective?.trim() && queries.length === 1) return undefined
  return [objective ?? '', ...queries].join(' ').trim().slice(0, limits.queryChars)
}

/** Reads the request of `/extract`. */
export function readExtract(sent: SentRequest): ParallelExtract {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, instantFields)
  const fields = readVendorFields(extractSchema, sent.fields, { path: '', rules, warnings })
  const settings = readSettings(extractSettingsSchema, fields.advanced_settings, warnings)
  const policy = readFetchPolicy(settings.fetch_policy, warnings)
  const { max_age_seconds: maxAge } = policy
  const query_time = instantIn(sent, fields)
  if (query_time !== undefined && typeof maxAge === 'number')
    throw refusedFields('invalid_request', [
      { path: `${fetchPath}max_age_seconds`, reason: 'not together with an instant of the past' },
    ])
  const { full_content: full } = settings
  const longest = limits.fetchChars.longest
  const fullChars = typeof full === 'boolean' ? longest : Math.min(longest, full.max_chars_per_result ?? longest)
  const prompt = [fields.objective ?? '', ...(fields.search_queries ?? [])]
    .join(' ')
    .trim()
    .slice(0, limits.promptChars)
  return {
    urls: fields.urls,
    query_time,
    prompt: prompt || undefined,
    fullChars: full === false ? undefined : fullChars,
    seenSince: typeof maxAge === 'number' ? sent.requestedAt - maxAge * SECOND_MS : undefined,
    fallsBack: !policy.disable_cache_fallback,
    lengths: lengthsOf(fields.max_chars_total, settings.excerpt_settings, warnings),
    session: fields.session_id ?? undefined,
    warnings,
  }
}
