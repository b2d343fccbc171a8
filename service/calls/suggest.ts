import { queryInstant } from '@asof/core/internal'
import { type SuggestRequest, suggestRequest, suggestResponse } from '../contract/search-schemas.ts'
import type { CallOf } from './call.ts'
import { byQueryTime } from './query-time.ts'

/** Titles and sites for the beginning of a query. */
export const suggestCall = {
  request: suggestRequest,
  response: suggestResponse,
  methods: ['GET'],
  callers: 'unnamed',
  described: {
    summary: 'Suggest titles and sites of the newest pages for the beginning of a query',
    answer: 'The suggestions, best first.',
  },
  past: byQueryTime<SuggestRequest>(),
  failures: [],
  run: async ({ engine, now }, { q, limit, query_time: time }) => {
    const at = now()
    const queryTime = time === undefined ? undefined : queryInstant(time, at)
    const suggestions = await engine.suggest(q, { maxResults: limit, queryTime })
    return { body: { suggestions }, instant: queryTime ?? at }
  },
} satisfies CallOf<typeof suggestRequest, typeof suggestResponse>
