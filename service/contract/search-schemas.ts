import { fieldTypes } from '@asof/extract/field-kinds'
import { z } from 'zod'
import { contentChars } from './content-length.ts'
import { citation, filter, includeOf, limits, list, object, pageFields, publishedFrom, text } from './schema-parts.ts'

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
    sites: list(
      limits.sites,
      'Restrict results to these domains and their subdomains. A domain may have a path: example.com/docs means /docs and what is below it.',
    ),
    exclude_sites: list(limits.sites, 'Leave out these domains and their subdomains, which may have a path too.'),
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
      'Count all matches by these fields: tags by each value, tags:de* by the keywords that begin with de, price:10 in buckets of 10, released:month by hour, day, week, month or year (UTC). published_at and acquired_at are the dates of results.',
    ),
    max_facet_values: z
      .int()
      .min(limits.facetValues.min)
      .max(limits.facetValues.max)
      .optional()
      .meta({ default: limits.facetValues.default })
      .describe('Values of each facet: those with the highest counts.'),
    sort: filter(
      'The order of results: score (default), or a field with numbers or instants, published_at or acquired_at, with :asc or :desc, such as price:asc; up to four, separated by commas, such as price:asc,published_at:desc. Pages without a value come last.',
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
        'The query is still being typed: also finds words that begin like its last one, and words with typos. Not valid in mode webql. An extension.',
      ),
    strict: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe(
        'Searches only for what is written: quoted words in no other form, no word corrected or split, and the page of a URL only in the index. Not with typing. An extension.',
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
    include: includeOf(
      ['author', 'citation', 'content', 'last_seen_at', 'passages', 'score'],
      'content adds the markdown of each page, author its author, last_seen_at when it was last seen up to the instant of the answer, passages the passages that answer best, and score its score.',
    ),
    content_max_chars: z
      .int()
      .min(limits.contentChars.min)
      .max(limits.contentChars.max)
      .optional()
      .meta({ default: limits.contentChars.default })
      .describe(
        `Longer content is truncated to this many characters; in mode realtime_content by default to ${limits.contentChars.defaultOfMode}. Times max_results, at most ${limits.contentChars.all}. An extension.`,
      ),
    passages_max_chars: z
      .int()
      .min(limits.resultPassagesChars.min)
      .max(limits.resultPassagesChars.max)
      .optional()
      .meta({ default: limits.resultPassagesChars.default })
      .describe('The passages of a result together have at most this many UTF-16 units. An extension.'),
    passage_max_chars: z
      .int()
      .min(limits.resultPassageChars.min)
      .max(limits.resultPassageChars.max)
      .optional()
      .meta({ default: limits.resultPassageChars.max })
      .describe('Each passage of a result has at most this many UTF-16 units. An extension.'),
    passages_query: text(limits.queryChars)
      .regex(/\S/u, { error: 'must not be empty' })
      .optional()
      .describe('Words that the passages of results are to answer. Default: the query. An extension.'),
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
  .refine(request => contentChars(request) * request.max_results <= limits.contentChars.all, {
    path: ['content_max_chars'],
    error: `content_max_chars times max_results must be at most ${limits.contentChars.all}`,
  })
  .refine(request => !request.typing || !request.strict, {
    path: ['strict'],
    error: 'not together with typing',
  })
  .refine(request => !request.typing || request.mode !== 'webql', {
    path: ['typing'],
    error: 'not valid when mode is webql',
  })

/** A valid search request, with defaults filled in. */
export type SearchRequest = z.output<typeof searchRequest>

/** The matched words of a text. Pairs, without tuples, which clients with JSON Schema draft 7 read otherwise. */
const ranges = z.array(z.array(z.int().min(0)).length(2))

/** A passage of a page. */
export const resultPassage = z.strictObject({
  text: z.string().describe('The passage, as it is in the Markdown of the page. At most 2,000 UTF-16 units.'),
  start: z.int().min(0).describe('Where it begins in the Markdown of the page as of the instant, in UTF-16 units.'),
  end: z.int().describe('The offset behind it.'),
  context: z
    .array(z.string())
    .describe(
      'What is above the passage, outermost first: the headings of its section, the head of its table, the line that introduces it.',
    ),
  score: z.number().describe('Greater is better. Scores of different queries cannot be compared.'),
})

const result = z.strictObject({
  title: z.string(),
  url: z.string(),
  description: z.literal('').describe('Deprecated, always empty.').meta({ deprecated: true }),
  snippet: z.string().optional().describe('Excerpt with the matched words in **…**.'),
  title_highlights: ranges
    .optional()
    .describe('The matched words of title: [start, end) in UTF-16 units of the title as sent. An extension.'),
  snippet_highlights: ranges
    .optional()
    .describe(
      'The matched words of snippet, without their **: [start, end) in UTF-16 units of the snippet as sent. An extension.',
    ),
  content: z
    .string()
    .optional()
    .describe(
      'Markdown of the page as of the instant of the answer, cut to content_max_chars; only if the request includes it, or in mode realtime_content.',
    ),
  passages: z
    .array(resultPassage)
    .optional()
    .describe(
      'The passages of the page that answer best, in the order of the page; only if the request includes them. A page that is fetched live has none. An extension.',
    ),
  published_at: z.iso.datetime().optional(),
  published_from: publishedFrom
    .optional()
    .describe('Where the publish date was found; only in explained answers. An extension.'),
  acquired_at: z.iso.datetime().optional(),
  last_seen_at: z.iso
    .datetime()
    .optional()
    .describe(
      'When the page was last seen, up to the instant of the answer; only if the request includes it. An extension.',
    ),
  author: z
    .string()
    .optional()
    .describe('The author of the page, if known; only if the request includes it. An extension.'),
  score: z
    .number()
    .optional()
    .describe(
      'The score by which the page has its place, greater is better; scores of different queries cannot be compared. It never rises from one result to the next: a page that was put before a better one has the score of that one. With sort by a field, the score of the page for the query. Only if the request includes it, and absent if the query is a URL. An extension.',
    ),
  fields: pageFields,
  language: z
    .string()
    .optional()
    .describe('The language of the page (ISO 639-1), if known; only in answers to requests with a language.'),
  citation,
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
  query_time: filter(
    'Suggest the titles that were current at this point. A date, a timestamp, a Unix epoch, or a delta.',
  ),
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
  sealed_at: z.iso.datetime().optional().describe('Present if the index is sealed: nothing that came later is shown.'),
})

export type CapturesResponse = z.output<typeof capturesResponse>

const facetValue = z.strictObject({
  value: z
    .union([z.string(), z.number(), z.boolean()])
    .describe('A keyword, number or boolean; an instant as text. Of a bucket the beginning, such as 10 or 2025-05-01.'),
  count: z.int().describe('Number of matches that have it.'),
})

/** Parameters of `GET /v1/fields`. */
export const fieldsRequest = z.strictObject({
  query_time: filter(
    'List the fields of the pages that were current at this point. A date, a timestamp, a Unix epoch, or a delta.',
  ),
  max_examples: z
    .int()
    .min(limits.examples.min)
    .max(limits.examples.max)
    .default(limits.examples.default)
    .describe('Examples of each field: the values that most pages have.'),
})

export type FieldsRequest = z.output<typeof fieldsRequest>

export const fieldsResponse = z.strictObject({
  fields: z
    .array(
      z.strictObject({
        name: z.string(),
        type: z.enum(fieldTypes).describe('The type of all values of the field.'),
        pages: z.int().min(1).describe('Number of pages that have the field.'),
        examples: z
          .array(facetValue)
          .describe(
            'The values that most pages have, with the number of these pages. Long keywords are left out; texts have none.',
          ),
      }),
    )
    .describe('The fields, by name.'),
})

export type FieldsResponse = z.output<typeof fieldsResponse>

/** The response of a search, spec 2.2. */
export const searchResponse = z.strictObject({
  query: z.string(),
  mode: z.enum(['pro', 'realtime']).describe('The ranking that served the request.'),
  results: z.array(result),
  warning: z.string().optional().describe('Present if the request was not answered as a plain search.'),
  facets: z
    .record(z.string(), z.array(facetValue))
    .optional()
    .describe(
      'By facet, as the request has it, the values with their numbers of matches as of the instant, the highest number first, of equal numbers the lower value; only in answers to requests with facets.',
    ),
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
