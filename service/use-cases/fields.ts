import { queryInstant } from '@asof/core/internal'
import type { FieldsRequest, FieldsResponse } from '../contract/search-schemas.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'

/** Answers with the fields of the pages of the index as of an instant. */
export async function answerFields(
  { engine, now }: { engine: IndexReads; now: () => number },
  { query_time: time, max_examples: maxExamples }: FieldsRequest,
): Promise<FieldsResponse> {
  const queryTime = time === undefined ? undefined : queryInstant(time, now())
  return { fields: await engine.fields({ queryTime, maxExamples }) }
}
