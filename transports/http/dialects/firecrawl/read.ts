import { z } from 'zod'
import { type InputOf, refusedFields } from '../../../../service/index.ts'
import type { SentRequest } from '../frame/dialect.ts'
import { oneInstant } from '../frame/instants.ts'
import { longestText } from '../frame/result-text.ts'
import { siteEntries } from '../frame/sites.ts'
import { readVendorFields, refuseStrayInstants, type VendorFieldRules } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'
import { type GivenSchema, schemaOfFormat } from './json-format.ts'
import { readPublished } from './published.ts'

const MAX_RESULTS = 100
const DEFAULT_RESULTS = 5
const DEFAULT_MAX_AGE_MS = 172_800_000

const NO_MODEL = 'left out: it needs a language model, and asof has none'
const NO_HTML = 'left out: asof keeps no HTML'
const NO_IMAGES = 'left out: asof keeps no images'
export const SAME_FOR_ALL = 'left out: results are the same for everybody'

/** The formats that asof has, and why it leaves out the others. */
const formatNames = ['markdown', 'links'] as const
export type Format = (typeof formatNames)[number]
const formatsLeftOut: Readonly<Record<string, string>> = {
  html: NO_HTML,
  rawHtml: NO_HTML,
  screenshot: NO_IMAGES,
  images: NO_IMAGES,
  branding: NO_IMAGES,
  summary: NO_MODEL,
  json: 'left out: it needs a schema, because asof has no language model for a prompt',
  extract: NO_MODEL,
  question: NO_MODEL,
  highlights: NO_MODEL,
  attributes: NO_HTML,
  changeTracking: 'left out: ask for the page as of two instants',
}

const format = z.union([z.string(), z.looseObject({ type: z.string() })], { error: 'must be the name of a format' })

export const optionFields = {
  formats: z.array(format).default([]),
  maxAge: z.number().min(0).optional(),
  /** What the format `json` of version 1 has beside it. */
  jsonOptions: z.looseObject({}).optional(),
}
/** Fields of how a page is rendered, which the content of a stored page does not depend on. */
const optionsLeftOut = {
  includeTags: 'left out: the text is the whole content of the page, without menus and footers',
  excludeTags: 'left out: the text is the whole content of the page, without menus and footers',
  mobile: 'left out: the page was read once for all callers',
  location: 'left out: the page was read once for all callers',
  parsers: 'left out: documents are always read',
}
export const silent = [
  'blockAds',
  'fastMode',
  'ignoreInvalidURLs',
  'integration',
  'maxConcurrency',
  'minAge',
  'onlyMainContent',
  'origin',
  'proxy',
  'removeBase64Images',
  'skipTlsVerification',
  'storeInCache',
  'timeout',
  'useMock',
]
export const CHANGES_PAGE = 'would change the page, and the index has it as its site serves it to everybody'
const optionsRefused = {
  actions: CHANGES_PAGE,
  headers: CHANGES_PAGE,
  zeroDataRetention: 'is a setting of the organization on this server',
}
export const optionRules: VendorFieldRules = {
  leftOut: optionsLeftOut,
  silent,
  refused: optionsRefused,
}
const scrapeFields = {
  ...optionFields,
  url: z.string(),
  waitFor: z.number().optional(),
  query_time: z.string().optional(),
}

/** The names of Firecrawl for the fields of a fetch of asof. */
export const scrapeNames: Readonly<Record<string, string>> = { live: 'maxAge', urls: 'url' }

export interface FirecrawlScrape {
  url: string
  formats: readonly Format[]
  /** The schema of the format `json`. Undefined without it. */
  schema: GivenSchema | undefined
  query_time: string | undefined
  /** The time of the request, epoch ms. */
  requestedAt: number
  /** The stored page is enough if it was seen at or after this instant, epoch ms. */
  seenSince: number
  warnings: DialectWarning[]
}

/**
 * Returns the formats of a request that asof has.
 *
 * @param path - the name of the field.
 * @throws ServiceError invalid_request - the request has only other formats.
 */
export function readFormats(
  path: string,
  given: readonly (string | { type: string })[],
  warnings: DialectWarning[],
): readonly Format[] {
  const names = given.map(one => (typeof one === 'string' ? one : one.type))
  const known = formatNames.filter(name => names.includes(name))
  const others = names.filter(name => !formatNames.some(one => one === name))
  const reasonOf = (name: string) =>
    Object.hasOwn(formatsLeftOut, name) ? formatsLeftOut[name] : 'left out: asof does not have this format'
  if (known.length === 0 && others.length > 0)
    throw refusedFields('invalid_request', [
      { path, reason: `asof has only ${formatNames.join(', ')} and json with a schema` },
    ])
  for (const name of new Set(others)) warnings.push({ path: `${path} ${name}`, message: reasonOf(name) ?? '' })
  return names.length === 0 ? ['markdown'] : known
}

/** Reads the formats of a request, of which `json` has a schema. */
function readFormatsAndSchema(
  path: string,
  { formats: given, jsonOptions }: z.output<z.ZodObject<typeof optionFields>>,
  warnings: DialectWarning[],
): { formats: readonly Format[]; schema: GivenSchema | undefined } {
  const isJson = (one: (typeof given)[number]) => (typeof one === 'string' ? one : one.type) === 'json'
  const json = given.find(isJson)
  const options = typeof json === 'string' ? jsonOptions : json
  const schema = options && schemaOfFormat(`${path} json`, options, warnings)
  if (schema === undefined) return { formats: readFormats(path, given, warnings), schema }
  const others = given.filter(one => !isJson(one))
  return { formats: others.length === 0 ? [] : readFormats(path, others, warnings), schema }
}

/** Reads the request of `/scrape`. */
export function readScrape(sent: SentRequest): FirecrawlScrape {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const fields = readVendorFields(z.looseObject(scrapeFields), sent.fields, { path: '', rules: optionRules, warnings })
  // A wait of 0 is the default, which a client may fill in.
  if (fields.waitFor) throw refusedFields('invalid_request', [{ path: 'waitFor', reason: CHANGES_PAGE }])
  const { formats, schema } = readFormatsAndSchema('formats', fields, warnings)
  return {
    url: fields.url,
    formats,
    schema,
    query_time: oneInstant(sent, { query_time: fields.query_time }),
    requestedAt: sent.requestedAt,
    seenSince: sent.requestedAt - (fields.maxAge ?? DEFAULT_MAX_AGE_MS),
    warnings,
  }
}

const source = z.union([z.string(), z.looseObject({ type: z.string() })], { error: 'must be the name of a source' })
const searchFields = {
  query: z.string(),
  limit: z.int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
  sources: z.array(source).default([]),
  includeDomains: z.array(z.string()).optional(),
  excludeDomains: z.array(z.string()).optional(),
  tbs: z.string().optional(),
  scrapeOptions: z.looseObject({}).optional(),
  query_time: z.string().optional(),
}
const searchRules: VendorFieldRules = {
  leftOut: {
    location: SAME_FOR_ALL,
    country: SAME_FOR_ALL,
  },
  silent,
  refused: { categories: 'asof cannot restrict results to kinds of pages', filter: 'write conditions into the query' },
}

/** The names of Firecrawl for the fields of a search of asof. */
export const searchNames: Readonly<Record<string, string>> = {
  max_results: 'limit',
  sites: 'includeDomains',
  exclude_sites: 'excludeDomains',
  published_after: 'tbs',
  published_before: 'tbs',
}

export interface FirecrawlSearch {
  request: InputOf<'search'> & { max_results: number }
  /** The formats of the pages that are found. Empty for results without pages. */
  formats: readonly Format[]
  /** The schema of the format `json`. Undefined without it. */
  schema: GivenSchema | undefined
  requestedAt: number
  /** The texts of results should have been seen since this instant, epoch ms. Undefined without such a wish. */
  seenSince: number | undefined
  warnings: DialectWarning[]
}

const DESCRIPTION_CHARS = 300

/** Reads the request of `/search`. */
export function readSearch(sent: SentRequest): FirecrawlSearch {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const fields = readVendorFields(z.looseObject(searchFields), sent.fields, { path: '', rules: searchRules, warnings })
  const read = { path: 'scrapeOptions.', rules: optionRules, warnings }
  const options = readVendorFields(z.looseObject(optionFields), fields.scrapeOptions ?? {}, read)
  const scrapes = options.formats.length > 0
  const sources = fields.sources.map(one => (typeof one === 'string' ? one : one.type))
  if (sources.length > 0 && !sources.includes('web') && !sources.includes('news'))
    throw refusedFields('invalid_request', [{ path: 'sources', reason: 'has neither web nor news' }])
  for (const name of sources.filter(one => one !== 'web'))
    warnings.push({ path: 'sources', message: `${name} left out: results are pages of any kind` })
  const { maxAge } = options
  const { formats, schema } = scrapes
    ? readFormatsAndSchema('scrapeOptions.formats', options, warnings)
    : { formats: [], schema: undefined }
  const parts: InputOf<'search'>['include'] = scrapes ? ['author', 'last_seen_at'] : undefined
  const hasText = formats.length > 0
  return {
    request: {
      query: fields.query,
      max_results: fields.limit,
      sites: siteEntries('includeDomains', fields.includeDomains, warnings),
      exclude_sites: siteEntries('excludeDomains', fields.excludeDomains, warnings),
      ...readPublished(fields.tbs),
      query_time: oneInstant(sent, { query_time: fields.query_time }),
      snippet_max_length: DESCRIPTION_CHARS,
      include: hasText ? parts?.concat('content') : parts,
      content_max_chars: hasText ? longestText(fields.limit) : undefined,
    },
    formats,
    schema,
    requestedAt: sent.requestedAt,
    seenSince: scrapes && maxAge !== undefined ? sent.requestedAt - maxAge : undefined,
    warnings,
  }
}
