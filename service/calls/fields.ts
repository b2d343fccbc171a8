import { queryInstant } from '@asof/core/internal'
import { type FieldsRequest, fieldsRequest, fieldsResponse } from '../contract/search-schemas.ts'
import type { CallOf } from './call.ts'
import { byQueryTime } from './query-time.ts'

/** The fields of the pages of the index as of an instant. */
export const fieldsCall = {
  request: fieldsRequest,
  response: fieldsResponse,
  methods: ['GET'],
  callers: 'unnamed',
  described: {
    summary: 'List the fields of pages, with their types and examples of their values',
    answer: 'The fields that pages have.',
  },
  past: byQueryTime<FieldsRequest>(),
  failures: [],
  run: async ({ engine, now }, { query_time: time, max_examples: maxExamples }) => {
    const at = now()
    const queryTime = time === undefined ? undefined : queryInstant(time, at)
    return { body: { fields: await engine.fields({ queryTime, maxExamples }) }, instant: queryTime ?? at }
  },
} satisfies CallOf<typeof fieldsRequest, typeof fieldsResponse>
