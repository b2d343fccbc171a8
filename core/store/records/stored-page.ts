import { AsofError } from '@asof/extract/errors'
import type { TermVector } from '../../segment/term-vector.ts'
import { revisionKey } from '../keys.ts'
import type { StoredValues } from '../store-reader.ts'
import {
  type Body,
  type BodyParts,
  type DocumentRecord,
  decodeBodyBeginning,
  decodeStoredBody,
  decodeText,
} from './documents.ts'
import type { PageText } from './page-text.ts'
import { decodeRevision, type Revision } from './revision-record.ts'

/**
 * @throws ASOF_STORE_CORRUPT - the store has lost the record.
 */
export function readDocumentRecord(store: StoredValues, captureId: number): DocumentRecord {
  const head = store.head(captureId)
  if (!head) throw lostRecord(captureId)
  return head.texts
}

/**
 * @throws ASOF_STORE_CORRUPT - the store has lost the body.
 */
export function readStoredBody(store: StoredValues, captureId: number): Body {
  return decodeStoredBody(storedBody(store, captureId), readDocumentRecord(store, captureId).values)
}

/**
 * Reads the details of a body and the beginning of its Markdown, at most `units` UTF-16 units.
 *
 * @throws ASOF_STORE_CORRUPT - the store has lost the body.
 */
export function readBodyBeginning(store: StoredValues, captureId: number, units: number): Omit<Body, 'text'> {
  return decodeBodyBeginning(storedBody(store, captureId), readDocumentRecord(store, captureId).values, units)
}

/**
 * Reads the plain text of a capture.
 *
 * @throws ASOF_STORE_CORRUPT - the store has lost the body.
 */
export function readPageText(store: StoredValues, captureId: number): PageText {
  const text = store.text(captureId)
  if (!text) throw lostBody(captureId)
  return text
}

/**
 * Reads what the body of a capture has besides the plain text.
 *
 * @throws ASOF_STORE_CORRUPT - the store has lost the body.
 */
export function readRest(store: StoredValues, captureId: number): Uint8Array {
  const rest = store.rest(captureId)
  if (!rest) throw lostBody(captureId)
  return rest
}

/**
 * Reads the plain text of a body, piece by piece.
 *
 * @throws ASOF_STORE_CORRUPT - the store has lost the body.
 */
export function readText(store: StoredValues, captureId: number): Iterable<string> {
  return decodeText(storedBody(store, captureId))
}

/**
 * @throws ASOF_STORE_CORRUPT - the store has lost the record.
 */
export function readVector(store: StoredValues, captureId: number): TermVector {
  const vector = store.termVector(captureId)
  if (!vector) throw lostRecord(captureId)
  return vector
}

function lostRecord(captureId: number): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', `the record of capture ${captureId} is missing`)
}

/**
 * @throws ASOF_STORE_CORRUPT - the store has lost the body.
 */
export function storedBody(store: StoredValues, captureId: number): BodyParts {
  const body = store.body(captureId)
  if (!body) throw lostBody(captureId)
  return body
}

function lostBody(captureId: number): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', `the body of capture ${captureId} is missing`)
}

/**
 * Reads the metadata of a page from the instant of a revision.
 *
 * @throws ASOF_STORE_CORRUPT - the store has lost the revision.
 */
export function readRevision(store: StoredValues, revisionId: number): Revision {
  const bytes = store.get(revisionKey(revisionId))
  if (!bytes) throw new AsofError('ASOF_STORE_CORRUPT', `revision ${revisionId} is missing`)
  return decodeRevision(bytes)
}
