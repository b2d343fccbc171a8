import { isAsofError, normalizeUrl } from '@asof/core'
import { z } from 'zod'

/** Limits of the contract, spec part 8. Lengths are in Unicode code points. */
export const limits = {
  queryChars: 2_048,
  snippetChars: { min: 180, max: 10_000 },
  results: { min: 1, max: 50, default: 10 },
  suggestChars: 200,
  suggestions: { min: 1, max: 50, default: 10 },
  versions: { min: 1, max: 1_000, default: 100 },
  /** `longest`: content ends there, however much more `max_chars` allows. */
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

/** An empty string or null in a filter means that it was not given. */
function filter(description: string) {
  return z
    .string()
    .nullish()
    .transform(value => (value === null || value === '' ? undefined : value))
    .optional()
    .describe(description)
}

const timeFilter =
  'A date (2026-01-31), an ISO 8601 timestamp (2026-01-31T10:00Z), or a delta back such as 90min, 2h, 7d, 1mo, 1y.'

/** Spec 2.1. GET takes the same names in the query string. */
export const searchRequest = z
  .strictObject({
    query: text(limits.queryChars)
      .regex(/\S/u, { error: 'must not be empty' })
      .describe('Words, "phrases", -exclusions, site:domain; or the URL of one page.'),
    mode: z
      .enum(['pro', 'realtime', 'realtime_content', 'webql'])
      .default('pro')
      .describe(
        'pro looks deeper, realtime answers fastest; realtime_content adds each page as markdown and webql reads the query in the full language: both need an API key.',
      ),
    site: filter('Restrict results to one domain and its subdomains.'),
    acquired_after: filter(`Pages indexed at or after this point. ${timeFilter}`),
    acquired_before: filter(`Pages indexed at or before this point. ${timeFilter}`),
    published_after: filter(`Pages published at or after this point. ${timeFilter}`),
    published_before: filter(`Pages published at or before this point. ${timeFilter}`),
    query_time: filter(
      'Answer as of this point: pages indexed later are not candidates. A date, a timestamp, a Unix epoch, or a delta back from now such as 7d or 2w; up to 60 s ahead of the server’s clock means now.',
    ),
    snippet_max_length: z.int().min(limits.snippetChars.min).max(limits.snippetChars.max).optional(),
    max_results: z.int().min(limits.results.min).max(limits.results.max).default(limits.results.default),
    enable_wizards: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('Experimental structured outputs; valid only in pro mode.'),
    language: filter(
      'The language of the query, as a tag such as de or pt-BR: its words are found in any form. Each result then says its own. Default: what the words tell.',
    ),
  })
  .refine(request => !request.enable_wizards || request.mode === 'pro', {
    path: ['enable_wizards'],
    error: 'valid only when mode is pro',
  })

/** A valid search request, with defaults filled in. */
export type SearchRequest = z.output<typeof searchRequest>

const result = z.strictObject({
  title: z.string(),
  url: z.string(),
  description: z.literal('').describe('Deprecated, always empty.').meta({ deprecated: true }),
  snippet: z.string().optional().describe('Excerpt with the words that matched in **…**.'),
  content: z
    .string()
    .optional()
    .describe('Markdown of the page, at most 20000 characters; in mode realtime_content only.'),
  published_at: z.iso.datetime().optional(),
  acquired_at: z.iso.datetime().optional(),
  language: z
    .string()
    .optional()
    .describe('The page’s language (ISO 639-1), where it is known; only in answers to requests that have a language.'),
})

const wizardItem = z.looseObject({
  wizard: z
    .string()
    .describe(
      'The type: navigation, finance, sports, product_prices, prediction_markets, places, or one that this server adds. It decides the other fields.',
    ),
  url: z.string().describe('The page that the item was read from.'),
  acquired_at: z.iso.datetime().describe('When that page was indexed as it is told here.'),
})

/** Parameters of `GET /v1/suggest`. */
export const suggestRequest = z.strictObject({
  q: text(limits.suggestChars).regex(/\S/u, { error: 'must not be empty' }).describe('What was typed so far.'),
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

/** Spec 2.2. */
export const searchResponse = z.strictObject({
  query: z.string(),
  mode: z.enum(['pro', 'realtime']).describe('The ranking that served the request.'),
  results: z.array(result),
  warning: z.string().optional().describe('Present when the request was not answered as a plain search.'),
  wizards: z.array(wizardItem).optional().describe('Present when wizards were asked for and one matched the query.'),
})

export type SearchResponse = z.output<typeof searchResponse>

const pageUrl = z
  .string()
  .refine(value => URL.canParse(value), { error: 'must be an absolute URL' })
  .meta({ format: 'uri' })
  .describe('URL of the page.')

const instantForms = 'A date, a timestamp, a Unix epoch, or a delta back from now such as 7d or 2w.'

/** Spec E3; always in the query string. `query_time` is an extension. */
export const fetchRequest = z
  .strictObject({
    url: pageUrl,
    max_chars: z
      .int()
      .min(limits.fetchChars.min)
      .default(limits.fetchChars.default)
      .describe(
        `Longer content is truncated to this many characters; content has at most ${limits.fetchChars.longest}, whatever is asked for.`,
      ),
    live: z
      .boolean()
      .default(false)
      .describe('true fetches directly from the source, including URLs not indexed; false serves indexed pages only.'),
    prompt: text(limits.promptChars)
      .regex(/\S/u, { error: 'must not be empty' })
      .optional()
      .describe(
        'An instruction, such as "list the prices"; content is then only what a reader of the page answers to it.',
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

/** Spec 2.3. */
export const fetchResponse = z.strictObject({
  url: z.string().describe('The URL that answered; may differ from the one asked for after redirects.'),
  content: z.string().describe('Extracted markdown, or with a prompt only the output for it.'),
  title: z.string(),
  author: z.string().optional(),
  published_at: z.iso.datetime().optional(),
  description: z.literal('').describe('Deprecated, always empty.').meta({ deprecated: true }),
  acquired_at: z.iso
    .datetime()
    .optional()
    .describe('When this version of the page was indexed; absent from a live fetch. An extension.'),
  superseded_at: z.iso
    .datetime()
    .optional()
    .describe(
      'When this version stopped being current; absent while it is current and without query_time. The only field that describes what came after query_time. An extension.',
    ),
})

export type FetchResponse = z.output<typeof fetchResponse>

/** Parameters of `GET /v1/history`, an extension. */
export const historyRequest = z.strictObject({
  url: pageUrl,
  query_time: filter(`List only what had happened by this point. ${instantForms}`),
  limit: z
    .int()
    .min(limits.versions.min)
    .max(limits.versions.max)
    .default(limits.versions.default)
    .describe('Versions in the answer; large pages make it shorter.'),
  after: filter('The `next` of the answer before; continues behind it.'),
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
            'capture: another text than before; revision: the same text, other metadata or markup; removal: the page was gone.',
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
            ]),
          )
          .describe('What differs from the version before; empty for the first version and for a removal.'),
      }),
    )
    .describe('Oldest first.'),
  next: z.string().optional().describe('Present if there are more versions: pass it as `after`.'),
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

/** Spec 2.6. */
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
  feedback_text: text(limits.feedbackTextChars).optional().describe('Anything else worth saying.'),
})

export type FeedbackRequest = z.output<typeof feedbackRequest>

/** Spec 2.6. */
export const feedbackResponse = z.strictObject({ message: z.string().describe('A confirmation.') })

export type FeedbackResponse = z.output<typeof feedbackResponse>

/** Spec 2.7. */
export const errorResponse = z.strictObject({
  error: z.string().describe('Stable error category.'),
  message: z.string(),
  details: z.unknown().optional(),
})

export type ErrorResponse = z.output<typeof errorResponse>

/** Entries of `details` on a 400 about fields. */
export interface FieldProblem {
  /** The field as the wire names it; empty for the request as a whole. */
  path: string
  reason: string
  /** Where in the field the trouble is, as a UTF-16 offset, if it is at one place. */
  position?: number
}
