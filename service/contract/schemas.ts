import { isAsofError } from '@asof/core'
import { datePrecisions, dateSources, normalizeUrl, pageKinds } from '@asof/core/internal'
import { z } from 'zod'

/** Limits of the contract, spec part 8. Lengths are numbers of Unicode code points. */
export const limits = {
  queryChars: 2_048,
  snippetChars: { min: 180, max: 10_000 },
  results: { min: 1, max: 50, default: 10 },
  sites: 100,
  facets: 32,
  deletedUrls: 10_000,
  facetValues: { min: 1, max: 1_000, default: 100 },
  offset: 10_000,
  weight: 100,
  suggestChars: 200,
  suggestions: { min: 1, max: 50, default: 10 },
  bins: { min: 10, max: 2_000, default: 400 },
  versions: { min: 1, max: 1_000, default: 100 },
  /** `longest` limits the content even if `max_chars` is larger. */
  fetchChars: { min: 1, default: 50_000, longest: 1_000_000 },
  promptChars: 2_000,
  feedbackUrls: 200,
  feedbackTextChars: 10_000,
  feedbackScore: { min: 0, max: 5 },
} as const

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

function text(maxChars: number) {
  return z
    .string()
    .refine(value => value.length <= maxChars || codePoints(value) <= maxChars, {
      error: `at most ${maxChars} characters`,
    })
    .meta({ maxLength: maxChars })
}

/** Returns the schema of an optional filter. An empty string and null count as no filter. */
function filter(description: string) {
  return z
    .string()
    .nullish()
    .transform(value => (value === null || value === '' ? undefined : value))
    .optional()
    .describe(description)
}

/** Returns the schema of a list of short texts. The engine checks them. */
function list(most: number, description: string) {
  return z.array(z.string()).max(most).optional().describe(`${description} In a query string separated by commas.`)
}

/**
 * Returns the schema of an object whose names depend on the index. `z.record` would drop the name `__proto__`. This schema
 * keeps it, so that the engine rejects it.
 */
function object(description: string) {
  return z
    .unknown()
    .refine(isJsonObject, { error: 'must be an object' })
    .transform(value => value as Record<string, unknown>)
    .meta({ type: 'object', additionalProperties: {} })
    .describe(description)
}

export function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const timeFilter =
  'A date (2026-01-31), an ISO 8601 timestamp (2026-01-31T10:00Z), or a delta back such as 90min, 2h, 7d, 1mo, 1y.'

/** The request of a search, spec 2.1. GET takes the same names in the query string. */
export const searchRequest = z
  .strictObject({
    query: text(limits.queryChars)
      .regex(/\S/u, { error: 'must not be empty' })
      .describe('Words, "phrases", -exclusions, site:domain; the URL of one page; or * for all pages.'),
    mode: z
      .enum(['pro', 'realtime', 'realtime_content', 'webql'])
      .default('pro')
      .describe(
        'pro ranks best; realtime answers fastest; realtime_content adds the markdown of each page; webql parses the query in the full query language. The modes `webql` and `realtime_content` need an API key: 401 without one, 403 on the storefront and over x402.',
      ),
    site: filter('Restrict results to one domain and its subdomains.'),
    sites: list(limits.sites, 'Restrict results to these domains and their subdomains.'),
    exclude_sites: list(limits.sites, 'Leave out these domains and their subdomains.'),
    filter: object(
      'Conditions on the fields of pages, such as {"price": {"lt": 20}, "tags": ["desk", "wall"], "any": [{"sold": false}, {"sold": {"exists": false}}]}. An instant is {"$date": "2026-01-31T10:00:00Z"} or has a form of the time filters. In a query string, as JSON.',
    ).optional(),
    acquired_after: filter(`Pages indexed at or after this point. ${timeFilter}`),
    acquired_before: filter(`Pages indexed at or before this point. ${timeFilter}`),
    published_after: filter(`Pages published at or after this point. ${timeFilter}`),
    published_before: filter(`Pages published at or before this point. ${timeFilter}`),
    query_time: filter(
      'Answer as of this point: pages indexed later are left out. A date, a timestamp, a Unix epoch, or a delta back from now such as 7d or 2w; up to 60 s ahead of the server’s clock means now.',
    ),
    snippet_max_length: z.int().min(limits.snippetChars.min).max(limits.snippetChars.max).optional(),
    max_results: z.int().min(limits.results.min).max(limits.results.max).default(limits.results.default),
    facets: list(
      limits.facets,
      'Count all matches by these fields: tags by each value, price:10 in buckets of 10, released:month by hour, day, week, month or year (UTC). published_at and acquired_at are the dates of results.',
    ),
    max_facet_values: z
      .int()
      .min(limits.facetValues.min)
      .max(limits.facetValues.max)
      .optional()
      .meta({ default: limits.facetValues.default })
      .describe('Values of each facet: those with the highest counts.'),
    sort: filter(
      'The order of results: score (default), or a field with numbers or instants, published_at or acquired_at, with :asc or :desc, such as price:asc. Pages without a value come last.',
    ),
    offset: z.int().min(0).max(limits.offset).optional().describe('Number of first results to leave out.'),
    cursor: filter(
      'The `next` of the previous answer to the same request; the answer continues it, as of its instant.',
    ),
    enable_wizards: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('Adds structured answers (experimental); valid only in pro mode.'),
    language: filter(
      'The language of the query, as a tag such as de or pt-BR. Its words then match in any inflected form, and each result states its language. Default: detected from the words.',
    ),
    typing: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe(
        'The query is still being typed: also finds words that begin like its last one, and words with typos. Valid only in mode realtime. An extension.',
      ),
    weights: z
      .strictObject({
        title: z
          .number()
          .min(0)
          .max(limits.weight)
          .optional()
          .meta({ default: 3 })
          .describe('How often a word in the title counts, relative to one in the text.'),
        fields: z
          .record(z.string(), z.number().min(0).max(limits.weight))
          .optional()
          .describe('Fields with texts in which the words are searched too, such as {"brand": 2}.'),
      })
      .optional()
      .describe('How much the parts of a page count. In a query string, as JSON. An extension.'),
    explain: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe(
        'Adds how long each step took, the parts of each score, and where each publish date was found. An extension.',
      ),
  })
  .refine(request => !request.enable_wizards || request.mode === 'pro', {
    path: ['enable_wizards'],
    error: 'valid only when mode is pro',
  })
  .refine(request => !request.typing || request.mode.startsWith('realtime'), {
    path: ['typing'],
    error: 'valid only when mode is realtime',
  })

/** A valid search request, with defaults filled in. */
export type SearchRequest = z.output<typeof searchRequest>

/** The fields of a page, as JSON values. */
const pageFields = z
  .record(z.string(), z.unknown())
  .optional()
  .describe(
    'The fields of the page, by name. An instant is {"$date": "2026-01-31T10:00:00.000Z"}. Absent if it has none.',
  )

/** Where a publish date was found, and how precise it is there. */
const publishedFrom = z.strictObject({ source: z.enum(dateSources), precision: z.enum(datePrecisions) })

const result = z.strictObject({
  title: z.string(),
  url: z.string(),
  description: z.literal('').describe('Deprecated, always empty.').meta({ deprecated: true }),
  snippet: z.string().optional().describe('Excerpt with the matched words in **…**.'),
  content: z
    .string()
    .optional()
    .describe('Markdown of the page, at most 20,000 characters; only in mode realtime_content.'),
  published_at: z.iso.datetime().optional(),
  published_from: publishedFrom
    .optional()
    .describe('Where the publish date was found; only in explained answers. An extension.'),
  acquired_at: z.iso.datetime().optional(),
  fields: pageFields,
  language: z
    .string()
    .optional()
    .describe('The language of the page (ISO 639-1), if known; only in answers to requests with a language.'),
})

const wizardItem = z.looseObject({
  wizard: z
    .string()
    .describe(
      'The type of the item, which determines its other fields: navigation, finance, sports, product_prices, prediction_markets, places, or a type that this server adds.',
    ),
  url: z.string().describe('The page that the item was read from.'),
  acquired_at: z.iso.datetime().describe('When the version of the page that the item was read from was indexed.'),
})

/** Parameters of `GET /v1/suggest`. */
export const suggestRequest = z.strictObject({
  q: text(limits.suggestChars).describe('What was typed so far.'),
  limit: z.int().min(limits.suggestions.min).max(limits.suggestions.max).default(limits.suggestions.default),
})

export type SuggestRequest = z.output<typeof suggestRequest>

export const suggestResponse = z.strictObject({
  suggestions: z.array(
    z.strictObject({
      kind: z.enum(['title', 'site']),
      text: z.string().describe('The title of a page, or the host of a site.'),
      url: z.string().optional().describe('The page of a title.'),
    }),
  ),
})

export type SuggestResponse = z.output<typeof suggestResponse>

const milliseconds = z.number().min(0)

/** The addend of a term, or of a signal of the mode pro, in the score of one result. */
const scorePart = z.union([
  z.strictObject({
    term: z.string().describe('The term as indexed.'),
    weight: z.number().describe('Inverse document frequency, times the occurrences in the query.'),
    frequency: z.number().describe('Occurrences in the page; one in the title counts three times.'),
    length: z.number().describe('Words of the page; one in the title counts three times.'),
    score: z.number(),
  }),
  z.strictObject({
    signal: z.string().describe('The name of the signal in the ranking profile.'),
    weight: z.number(),
    value: z.number(),
    score: z.number(),
  }),
])

const explanation = z.strictObject({
  timings: z
    .strictObject({
      parse_ms: milliseconds,
      statistics_ms: milliseconds,
      top_k_ms: milliseconds,
      snippets_ms: milliseconds,
      total_ms: milliseconds,
    })
    .describe('How long each step took on its thread, without the time in the queue.'),
  scores: z
    .array(z.array(scorePart))
    .describe('For each result the parts of its score, which add up to it. Empty for a page that was looked up.'),
  language: z.string().optional().describe('The language in which the query was analyzed, if it has stems.'),
})

/** Parameters of `GET /v1/captures`. */
export const capturesRequest = z.strictObject({
  max_bins: z
    .int()
    .min(limits.bins.min)
    .max(limits.bins.max)
    .default(limits.bins.default)
    .describe('The histogram has the finest interval of the calendar that needs at most this many bins.'),
})

export type CapturesRequest = z.output<typeof capturesRequest>

export const capturesResponse = z.strictObject({
  captures: z.int().min(0).describe('Number of captures in the index, superseded ones included.'),
  urls: z.int().min(0).describe('Number of URLs.'),
  interval: z.enum(['minute', 'hour', 'day', 'week', 'month', 'year']).describe('The length of a bin, in UTC.'),
  bins: z
    .array(
      z.strictObject({
        at: z.iso.datetime().describe('When the bin begins.'),
        ends_at: z.iso.datetime().describe('When the next bin begins.'),
        captures: z.int().min(1),
      }),
    )
    .describe('The bins with captures, oldest first.'),
})

export type CapturesResponse = z.output<typeof capturesResponse>

/** The response of a search, spec 2.2. */
export const searchResponse = z.strictObject({
  query: z.string(),
  mode: z.enum(['pro', 'realtime']).describe('The ranking that served the request.'),
  results: z.array(result),
  warning: z.string().optional().describe('Present if the request was not answered as a plain search.'),
  facets: z
    .record(z.string(), z.record(z.string(), z.int()))
    .optional()
    .describe('By facet and value the number of matches, as of the instant; only in answers to requests with facets.'),
  total: z
    .strictObject({
      value: z.int(),
      exact: z.boolean().describe('false: there are more matches than that.'),
    })
    .optional()
    .describe('Number of matches; only in answers to requests with facets, sort, offset, cursor or the query *.'),
  next: z
    .string()
    .optional()
    .describe('Present in answers with a total if there are more results; pass it as `cursor`.'),
  wizards: z.array(wizardItem).optional().describe('Present if wizards were enabled and one answered the query.'),
  explain: explanation
    .optional()
    .describe('Present if the request has explain, and the results come from the index. An extension.'),
})

export type SearchResponse = z.output<typeof searchResponse>

const pageUrl = z
  .string()
  .refine(value => URL.canParse(value), { error: 'must be an absolute URL' })
  .meta({ format: 'uri' })
  .describe('URL of the page.')

const instantForms = 'A date, a timestamp, a Unix epoch, or a delta back from now such as 7d or 2w.'

/** The request of a fetch, spec E3; always in the query string. `query_time` is an extension. */
export const fetchRequest = z
  .strictObject({
    url: pageUrl,
    max_chars: z
      .int()
      .min(limits.fetchChars.min)
      .default(limits.fetchChars.default)
      .describe(
        `Longer content is truncated to this many characters, and in any case to ${limits.fetchChars.longest}.`,
      ),
    live: z
      .boolean()
      .default(false)
      .describe('true fetches the page from its site, whether it is indexed or not; false serves indexed pages only.'),
    prompt: text(limits.promptChars)
      .regex(/\S/u, { error: 'must not be empty' })
      .optional()
      .describe(
        'An instruction, such as "list the prices"; content is then only the answer to it, taken from the page.',
      ),
    query_time: filter(`Return the page as the index had it at this point; not with live=true. ${instantForms}`),
  })
  .check(({ value, issues }) => {
    if (!value.live || value.query_time === undefined) return
    for (const [field, other] of [
      ['live', 'query_time'],
      ['query_time', 'live'],
    ] as const)
      issues.push({ code: 'custom', path: [field], input: value[field], message: `not together with ${other}` })
  })

export type FetchRequest = z.output<typeof fetchRequest>

/** The response of a fetch, spec 2.3. */
export const fetchResponse = z.strictObject({
  url: z.string().describe('The URL of the page; after a redirect it differs from the requested URL.'),
  content: z.string().describe('Extracted markdown, or the answer to the prompt.'),
  title: z.string(),
  author: z.string().optional(),
  published_at: z.iso.datetime().optional(),
  description: z.literal('').describe('Deprecated, always empty.').meta({ deprecated: true }),
  acquired_at: z.iso
    .datetime()
    .optional()
    .describe('When this text of the page was indexed; absent from a live fetch. An extension.'),
  superseded_at: z.iso
    .datetime()
    .optional()
    .describe(
      'When this version stopped being current; absent if it is current, and without query_time. The only field about what happened after query_time. An extension.',
    ),
  fields: pageFields,
})

export type FetchResponse = z.output<typeof fetchResponse>

/** Parameters of `GET /v1/page`. */
export const pageRequest = z.strictObject({
  url: pageUrl,
  query_time: filter(`Return the page as the index had it at this point. ${instantForms}`),
  max_chars: z
    .int()
    .min(limits.fetchChars.min)
    .default(limits.fetchChars.default)
    .describe(`Longer content is truncated to this many characters, and in any case to ${limits.fetchChars.longest}.`),
})

export type PageRequest = z.output<typeof pageRequest>

export const pageResponse = z.strictObject({
  url: z.string().describe('The URL under which the page is stored.'),
  title: z.string(),
  content: z.string().describe('Extracted markdown.'),
  truncated: z.boolean().describe('True if the page has more content.'),
  author: z.string().optional(),
  description: z.string().optional(),
  site_name: z.string().optional(),
  lang: z.string().optional().describe('The language that the page declares, as a tag.'),
  kind: z.enum(pageKinds).optional(),
  published_at: z.iso.datetime().optional(),
  published_from: publishedFrom.optional().describe('Where the publish date was found.'),
  acquired_at: z.iso.datetime().describe('When this text was indexed.'),
  revised_at: z.iso.datetime().optional().describe('When these metadata were indexed, if later than the text.'),
  last_seen_at: z.iso.datetime().describe('When the page was last seen, up to query_time.'),
  data: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .describe('Structured data of the page, as JSON-LD in the vocabulary of schema.org.'),
  fields: pageFields,
})

export type PageResponse = z.output<typeof pageResponse>

/** The request of a page's history, an extension. */
export const historyRequest = z.strictObject({
  url: pageUrl,
  query_time: filter(`List only what had happened by this point. ${instantForms}`),
  limit: z
    .int()
    .min(limits.versions.min)
    .max(limits.versions.max)
    .default(limits.versions.default)
    .describe('The maximum number of versions in the answer; for large pages the answer may have fewer.'),
  after: filter('The `next` of the previous answer; the answer continues after it.'),
})

export type HistoryRequest = z.output<typeof historyRequest>

export const historyResponse = z.strictObject({
  url: z.string().describe('The URL under which the page is stored.'),
  versions: z
    .array(
      z.strictObject({
        kind: z
          .enum(['capture', 'revision', 'removal'])
          .describe(
            'capture: the text changed; revision: only metadata or markup changed; removal: the page was gone.',
          ),
        at: z.iso.datetime().describe('When the version began.'),
        last_seen_at: z.iso.datetime().describe('When the page was last seen unchanged.'),
        superseded_at: z.iso.datetime().optional().describe('When the next version began; absent from the last one.'),
        title: z.string(),
        published_at: z.iso.datetime().optional(),
        changed: z
          .array(
            z.enum([
              'title',
              'text',
              'markup',
              'published_at',
              'author',
              'description',
              'lang',
              'site_name',
              'kind',
              'data',
              'fields',
            ]),
          )
          .describe('What differs from the previous version; empty for the first version and for a removal.'),
      }),
    )
    .describe('Oldest first.'),
  next: z.string().optional().describe('Present if there are more versions; pass it as `after`.'),
})

export type HistoryResponse = z.output<typeof historyResponse>

function isPageUrl(value: string): boolean {
  try {
    normalizeUrl(value)
    return true
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_URL')) return false
    throw error
  }
}

/** The request of feedback, spec 2.6. */
export const feedbackRequest = z.strictObject({
  query: text(limits.queryChars)
    .regex(/\S/u, { error: 'must not be empty' })
    .describe('The query whose results are judged, as it was sent.'),
  feedback: z
    .record(
      z.string().refine(isPageUrl, { error: 'must be the absolute URL of a page' }).meta({ format: 'uri' }),
      z.int().min(limits.feedbackScore.min).max(limits.feedbackScore.max),
    )
    .refine(judged => Object.keys(judged).length > 0, { error: 'must judge at least one URL' })
    .refine(judged => Object.keys(judged).length <= limits.feedbackUrls, {
      error: `at most ${limits.feedbackUrls} URLs`,
    })
    .meta({ minProperties: 1, maxProperties: limits.feedbackUrls })
    .describe(
      'By URL: 0 content not loaded, 1 low relevance, 2 somewhat relevant, 3 relevant, 4 highly relevant, 5 perfect match.',
    ),
  feedback_text: text(limits.feedbackTextChars).optional().describe('A comment in free text.'),
})

export type FeedbackRequest = z.output<typeof feedbackRequest>

/** The response to feedback, spec 2.6. */
export const feedbackResponse = z.strictObject({ message: z.string().describe('A confirmation.') })

export type FeedbackResponse = z.output<typeof feedbackResponse>

/** The body of every error response, spec 2.7. */
export const errorResponse = z.strictObject({
  error: z.string().describe('Stable error category.'),
  message: z.string(),
  details: z.unknown().optional(),
  code: z
    .string()
    .optional()
    .describe('On storefront routes: the same as `error`, or `settlement_pending` if a payment may have succeeded.'),
  register: z.unknown().optional().describe('How to register, if a token is required.'),
  plans: z.unknown().optional().describe('The plans that cover the call, if one is required.'),
})

export type ErrorResponse = z.output<typeof errorResponse>

/** An entry of `details` in an error about fields. */
export interface FieldProblem {
  /** The wire name of the field. Empty if the problem is about the request as a whole. */
  path: string
  reason: string
  /** The position of the problem in the value of the field, in UTF-16 units. Absent if it has no position. */
  position?: number
}

/** Which pages an administrator removes or purges. */
export const deletionRequest = z.strictObject({
  urls: z
    .array(z.string())
    .max(limits.deletedUrls)
    .optional()
    .describe('Addresses of pages. A list cannot be combined with site, prefix and filter.'),
  site: z.string().optional().describe('All pages of one domain and its subdomains.'),
  prefix: z.string().optional().describe('All pages whose address begins so, such as https://example.com/old/.'),
  filter: object('All pages whose fields fulfill these conditions, as in a search.').optional(),
  at: z
    .string()
    .optional()
    .describe(
      'A date or timestamp of the past: pages are selected as they were then. A removal is recorded at this time. Not with urls in a purge.',
    ),
  dry_run: z.boolean().default(false).describe('Changes nothing; the answer says what would be deleted.'),
})

export type DeletionRequest = z.output<typeof deletionRequest>

export const deletionResponse = z.strictObject({
  pages: z.int().min(0).describe('Number of pages that were removed or purged.'),
  captures: z.int().min(0).describe('Number of versions that were purged; 0 for a removal.'),
  failed: z.int().min(0).describe('Number of addresses of the list that are not valid.'),
  failures: z
    .array(z.strictObject({ url: z.string(), message: z.string() }))
    .describe('The first 100 addresses that are not valid.'),
  finished: z.boolean().describe('false: the time was up; the same request deletes the rest.'),
})

export type DeletionResponse = z.output<typeof deletionResponse>
