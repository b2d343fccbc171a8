import { termsOfFields } from '../fields/field-terms.ts'
import { parseFields } from '../fields/field-values.ts'
import { termsOfRevised } from '../search/clauses/revised-terms.ts'
import type { RevisionRow } from '../segment/columns/revisions.ts'
import { decodeRevisionRows } from '../store/records/revision-record.ts'

/** The values by which searches filter a capture from the instant of one of its revisions on. */
export interface RevisedState {
  /** Epoch ms. */
  at: number
  /** Epoch ms; undefined if unknown. */
  publishedAt: number | undefined
  /** The terms of its fields, and of author, language and kind. */
  values: readonly string[]
}

export function revisedStates(rows: readonly RevisionRow[]): RevisedState[] {
  return rows.map(({ at, publishedAt, metadata }) => ({
    at,
    publishedAt: Number.isNaN(publishedAt) ? undefined : publishedAt,
    values: [...termsOfFields(parseFields(metadata.values)), ...termsOfRevised(metadata).keys()],
  }))
}

/** Reads the stored rows of the revisions of a capture. @throws ASOF_STORE_CORRUPT */
export function readRevisedStates(stored: Uint8Array | undefined): RevisedState[] {
  return stored ? revisedStates(decodeRevisionRows(stored).rows) : []
}
