import { AsofError } from '../errors.ts'
import type { Engine, WriteMethods } from './engine.ts'

/**
 * Completes a sealed engine. All of its writes reject with ASOF_SEALED, and `close` does nothing.
 *
 * @param sealedAt - epoch ms.
 */
export function refuseWrites<Rest extends Omit<Engine, keyof WriteMethods>>(
  rest: Rest,
  sealedAt: number,
): Rest & WriteMethods {
  const refused = (method: string) => async (): Promise<never> => {
    const at = new Date(sealedAt).toISOString()
    throw new AsofError(
      'ASOF_SEALED',
      `${method}: this engine is sealed at ${at} and only reads; call the engine that was sealed`,
    )
  }
  return Object.assign(rest, {
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
