import { z } from 'zod'
import { filter, limits } from '../contract/schema-parts.ts'
import { type SearchRequest, type SearchResponse, searchRequest } from '../contract/search-schemas.ts'
import { plainSnippet } from '../contract/wire-form.ts'
import { plainQuery } from '../evaluate/plain-query.ts'

const MOST_QUERIES = 512
const DEFAULT_DOCUMENTS = 3
/** Length of the passage of a document, characters: a few hundred words. */
const PASSAGE_CHARS = 2_000

/**
 * A batch of queries, as the retrieval servers of Search-R1 and verl take it. Fields that are not known are ignored, because these programs
 * may send more.
 */
export const retrievalRequest = z.looseObject({
  queries: z.array(z.string()).max(MOST_QUERIES).describe('Texts, which are searched as plain words. May be empty.'),
  topk: z
    .int()
    .min(limits.results.min)
    .max(limits.results.max)
    .nullish()
    .describe(`Number of documents for each query. Default: ${DEFAULT_DOCUMENTS}.`),
  return_scores: z.boolean().nullish().describe('true adds the score of each document. Default: false.'),
  mode: z.enum(['pro', 'realtime']).default('pro').describe('The ranking.'),
  query_time: filter('Answer as of this point, in the forms of query_time of a search.'),
})

export type RetrievalRequest = z.output<typeof retrievalRequest>

const retrieved = z.strictObject({
  id: z.string().describe('The URL of the page.'),
  contents: z.string().describe('The title of the page, a line end, and the passages that match best.'),
})

export const retrievalResponse = z.strictObject({
  result: z
    .array(z.array(z.union([retrieved, z.strictObject({ document: retrieved, score: z.number() })])))
    .describe('For each query the documents, best first: with return_scores as document and score.'),
})

export type RetrievalResponse = z.output<typeof retrievalResponse>

/** Returns a search as of the instant that a batch names, by which the instant can be checked. */
export function retrievalInstant({ query_time }: RetrievalRequest): SearchRequest {
  return searchRequest.parse({ query: '*', query_time })
}

/** Returns the search as of an instant for each query of a batch. A query without words has none. */
export function retrievalSearches(
  { queries, topk, mode }: RetrievalRequest,
  query_time: string,
): (SearchRequest | undefined)[] {
  return queries.map(text => {
    const query = plainQuery(text)
    if (!/[\p{L}\p{N}]/u.test(query)) return undefined
    return searchRequest.parse({
      query,
      mode,
      query_time,
      max_results: topk ?? DEFAULT_DOCUMENTS,
      snippet_max_length: PASSAGE_CHARS,
      include: ['score'],
    })
  })
}

/** Returns the documents for each query of a batch. A query that was not searched has none. */
export function retrievalAnswer(
  answers: readonly (SearchResponse | undefined)[],
  { return_scores }: RetrievalRequest,
): RetrievalResponse {
  return {
    result: answers.map((answer = { query: '', mode: 'pro', results: [] }) =>
      answer.results.map(result => {
        const document = { id: result.url, contents: `${result.title}\n${plainSnippet(result)}` }
        // A page that was looked up by its URL has no score.
        return return_scores ? { document, score: result.score ?? 1 } : document
      }),
    ),
  }
}
