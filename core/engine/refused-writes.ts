import { AsofError } from '@asof/extract/errors'
import type { Engine, Reads } from './engine.ts'

const writes = [
  'add',
  'setRelevance',
  'markSeen',
  'remove',
  'purge',
  'removeAll',
  'purgeAll',
  'embed',
  'backup',
] satisfies (keyof Engine)[]

/**
 * Returns the reads of a sealed engine with methods that their type does not have: for a caller without types, each write rejects with
 * ASOF_SEALED, and `close` does nothing.
 *
 * @param sealedAt - epoch ms.
 */
export function refuseWrites(reads: Reads, sealedAt: number): Reads {
  const refused = writes.map(method => [
    method,
    async (): Promise<never> => {
      const at = new Date(sealedAt).toISOString()
      throw new AsofError(
        'ASOF_SEALED',
        `${method}: this engine is sealed at ${at} and only reads; call the engine that was sealed`,
      )
    },
  ])
  return Object.assign(reads, Object.fromEntries(refused), { close: async () => {} })
}
