import { z } from 'zod'
import { citation, includeCitation, limits } from './schema-parts.ts'
import { resultPassage, searchRequest } from './search-schemas.ts'

/** The fields that a request for passages shares with a search. */
const { query, ...filters } = z.strictObject(searchRequest.shape).pick({
  query: true,
  site: true,
  sites: true,
  exclude_sites: true,
  filter: true,
  acquired_after: true,
  acquired_before: true,
  published_after: true,
  published_before: true,
  query_time: true,
  language: true,
  weights: true,
  strict: true,
}).shape

/** The request for passages, an extension. Its filters are those of a search. */
export const passagesRequest = z.strictObject({
  query,
  mode: z
    .enum(['pro', 'realtime', 'webql'])
    .default('pro')
    .describe(
      'How pages are ranked: pro ranks best; realtime answers fastest; webql parses the query in the full query language, and needs an API key.',
    ),
  max_chars: z
    .int()
    .min(limits.passageChars.min)
    .max(limits.passageChars.max)
    .optional()
    .describe('All passages together have at most this many UTF-16 units.'),
  max_tokens: z
    .int()
    .min(limits.passageTokens.min)
    .max(limits.passageTokens.max)
    .optional()
    .meta({ default: limits.passageTokens.default })
    .describe(
      'All passages together have at most this many tokens, by an estimate that fits all tokenizers. The default holds unless max_chars is given.',
    ),
  max_per_page: z
    .int()
    .min(limits.passagesPerPage.min)
    .max(limits.passagesPerPage.max)
    .optional()
    .describe('Number of passages of one page. Default: no maximum.'),
  ...filters,
  include: includeCitation,
})

export type PassagesRequest = z.output<typeof passagesRequest>

const passage = z.strictObject({
  url: z.string(),
  title: z.string().describe('The title of the page.'),
  ...resultPassage.shape,
  acquired_at: z.iso.datetime().describe('When the text of the page was indexed.'),
  published_at: z.iso.datetime().optional(),
  citation,
})

export const passagesResponse = z.strictObject({
  query: z.string(),
  mode: z.enum(['pro', 'realtime']).describe('The ranking that served the request.'),
  passages: z
    .array(passage)
    .describe('The page with the best passage comes first; the passages of a page are in the order of the page.'),
  chars: z.int().min(0).describe('Number of UTF-16 units of all passages.'),
  tokens: z.int().min(0).describe('Estimated number of tokens of all passages.'),
  warning: z.string().optional().describe('Present if the request was not answered as a plain search.'),
})

export type PassagesResponse = z.output<typeof passagesResponse>
