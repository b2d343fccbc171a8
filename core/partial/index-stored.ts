import { bodyKey, documentKey, revisionRowsKey, urlKey } from '../store/keys.ts'
import { emptyManifest } from '../store/manifest.ts'
import type { StoredCapture } from './kept-capture.ts'
import { type IndexedCapture, PartialIndex } from './partial-index.ts'

/**
 * Analyzes stored captures, to rebuild an index of terms in another system, such as OpenSearch.
 *
 * @param stored - captures with their records, documents and bodies. A capture that lacks one of them was deleted meanwhile, and is left out.
 * @throws ASOF_STORE_CORRUPT
 */
export async function indexStored(stored: readonly StoredCapture[]): Promise<IndexedCapture[]> {
  const part = new PartialIndex(emptyManifest)
  const whole = stored.filter(({ record, document, body }) => record && document && body)
  part.store.apply(
    whole.flatMap(({ captureId, url, record, rows, document, body }) => {
      const values: [Uint8Array, Uint8Array | undefined][] = [
        [urlKey(url), record],
        [revisionRowsKey(captureId), rows],
        [documentKey(captureId), document],
        [bodyKey(captureId), body],
      ]
      return values.flatMap(([key, value]) => (value ? [{ type: 'put' as const, key, value }] : []))
    }),
  )
  const byId = new Map(whole.map(one => [one.captureId, one]))
  return part.showIndexed(new Set(whole.map(({ url }) => url)), byId)
}
