import { AsofError } from '../errors.ts'
import { type Body, type DocumentRecord, decodeBody, decodeBodyBlock, decodeDocument } from './documents.ts'
import { bodyKey, documentKey } from './keys.ts'
import type { Store } from './store.ts'

/**
 * @throws ASOF_STORE_CORRUPT - the store has lost the record.
 */
export function readDocument(store: Store, captureId: number): DocumentRecord {
  const bytes = store.get(documentKey(captureId))
  if (!bytes) throw new AsofError('ASOF_STORE_CORRUPT', `the record of capture ${captureId} is missing`)
  return decodeDocument(captureId, bytes)
}

/**
 * @throws ASOF_STORE_CORRUPT - the store has lost the body.
 */
export function readBody(store: Store, document: DocumentRecord): Body {
  const block = store.get(bodyKey(document.bodyBlock))
  const body = block && decodeBodyBlock(block)[document.bodyIndex]
  if (!body || body.length === 0) throw new AsofError('ASOF_STORE_CORRUPT', `the body of ${document.url} is missing`)
  return decodeBody(body)
}
