import type { FieldFilter, Relevance, RelevanceAsOf } from '@asof/core'
import { z } from 'zod'
import { isJsonObject, limits } from './schema-parts.ts'
import { searchRequest } from './search-schemas.ts'
import { timestamp } from './wire-form.ts'

const texts = z.array(z.string())
/** Not a record, which would drop the name `__proto__`. The engine checks it. */
const filter = z
  .unknown()
  .refine(isJsonObject, { error: 'must be an object' })
  .meta({ type: 'object', additionalProperties: {} })
  .describe('Conditions on the fields of pages, as in a search.')

/**
 * The relevance of an index in JSON, as the command and the route of administration take it: how its searches rank pages. The engine
 * checks the limits of its parts.
 */
export const wireRelevance = z.strictObject({
  weights: searchRequest.shape.weights.describe('The weights of searches that have none of their own.'),
  synonyms: z
    .array(z.union([texts, z.strictObject({ words: texts, also: texts })]))
    .optional()
    .describe(
      'Texts that find one another, such as ["car", "automobile"], or words that also find others, such as {"words": ["nyc"], "also": ["new york"]}.',
    ),
  stop_words: texts.optional().describe('Words of queries that do not score.'),
  rules: z
    .array(
      z.strictObject({
        when: z.string().optional().describe('Words that a query must have. Default: the rule applies to every query.'),
        pin: z
          .array(z.strictObject({ url: z.string(), position: z.int() }))
          .optional()
          .describe('Pages at given positions of the results.'),
        boost: z
          .array(z.strictObject({ filter, factor: z.number() }))
          .optional()
          .describe('Factors for the scores of the pages that fulfill a filter.'),
      }),
    )
    .optional()
    .describe('What is pinned and boosted in answers to some queries.'),
})

/** How searches rank pages, with the field names of the wire. Each part is optional. */
export type WireRelevance = z.output<typeof wireRelevance>

/** Parameters of `GET /admin/relevance`. */
export const relevanceRequest = z.strictObject({
  query_time: z
    .string()
    .max(limits.queryChars)
    .optional()
    .describe('The relevance that held at this point, in the forms of query_time of a search. Default: now.'),
})

export const relevanceResponse = z.strictObject({
  relevance: wireRelevance,
  since: z.iso.datetime().optional().describe('Since when it holds. Absent if none was set by then.'),
})

/** How searches rank pages, and since when, with the field names of the wire. */
export type RelevanceResponse = z.output<typeof relevanceResponse>

/** Translates the relevance of an index from wire names to those of the engine. */
export function engineRelevance({ stop_words: stopWords, rules, ...same }: WireRelevance): Relevance {
  return {
    ...same,
    stopWords,
    // The engine checks the filters.
    rules: rules?.map(({ boost, ...rule }) => ({
      ...rule,
      boost: boost?.map(({ filter, factor }) => ({ filter: filter as FieldFilter, factor })),
    })),
  }
}

/** Writes the relevance of an index as the wire does. */
export function answerRelevance({ relevance, since }: RelevanceAsOf): RelevanceResponse {
  const { stopWords, ...same } = relevance
  return { relevance: wireRelevance.parse({ ...same, stop_words: stopWords }), since: timestamp(since) }
}
