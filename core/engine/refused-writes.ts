import { AsofError } from '../errors.ts'
import type { Engine } from './engine.ts'

/** The methods of an engine that change it, which a sealed engine refuses, and `close`, which does nothing there. */
type Writes = Pick<
  Engine,
  'add' | 'setRelevance' | 'markSeen' | 'remove' | 'purge' | 'removeAll' | 'purgeAll' | 'embed' | 'backup' | 'close'
>

/**
 * Completes a sealed engine. All of its writes reject with ASOF_SEALED.
 *
 * @param sealedAt - epoch ms.
 */
export function refuseWrites<Reads extends Omit<Engine, keyof Writes>>(reads: Reads, sealedAt: number): Reads & Writes {
  const refused = (method: string) => async (): Promise<never> => {
    const at = new Date(sealedAt).toISOString()
    throw new AsofError(
      'ASOF_SEALED',
      `${method}: this engine is sealed at ${at} and only reads; call the engine that was sealed`,
    )
  }
  return Object.assign(reads, {
    add: refused('add'),
    setRelevance: refused('setRelevance'),
    markSeen: refused('markSeen'),
    remove: refused('remove'),
    purge: refused('purge'),
    removeAll: refused('removeAll'),
    purgeAll: refused('purgeAll'),
    embed: refused('embed'),
    backup: refused('backup'),
    close: async () => {},
  })
}
