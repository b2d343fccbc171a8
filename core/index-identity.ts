import { AsofError } from './errors.ts'
import { identityKey } from './store/keys.ts'
import { decodeIdentity, encodeIdentity, FORMAT } from './store/manifest.ts'
import type { Store } from './store/store.ts'
import { analyzerIdentity } from './text/terms/tokens.ts'

/**
 * Writes the format and the identity of the analyzer into a new index. Checks the analyzer of an existing index.
 *
 * @throws ASOF_ANALYZER_CHANGED - the index was made with other text rules.
 */
export async function checkIdentity(store: Store): Promise<void> {
  const stored = store.get(identityKey)
  if (!stored) {
    const value = encodeIdentity({ format: FORMAT, analyzer: analyzerIdentity })
    await store.commit([{ type: 'put', key: identityKey, value }])
    return
  }
  const { analyzer } = decodeIdentity(stored)
  if (analyzer !== analyzerIdentity)
    throw new AsofError(
      'ASOF_ANALYZER_CHANGED',
      `the index was made with the text rules ${analyzer}, and this version of asof has ${analyzerIdentity}: export its pages with the version that made it (asof export --out pages.jsonl) and import them into a new folder with this one (asof import pages.jsonl), or keep using that version`,
    )
}
