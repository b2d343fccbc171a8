import { yieldToEventLoop } from '../../threads/yield-to-event-loop.ts'
import { bodyKey, bodyRange, type KeyRange } from '../keys.ts'
import type { Operation } from '../store.ts'
import type { StoredValues } from '../store-reader.ts'
import { withoutBodies } from './body-pack.ts'

/** Number of packs that are written again before yielding to the event loop. */
const PACKS_AT_ONCE = 32

/** The deletion of bodies, as a part of a commit. */
export interface BodyDeletion {
  operations: Operation[]
  /** The key ranges in which the deleted bodies still take space on disk. */
  waste: KeyRange[]
  /** Approximate size of the deleted values, bytes. */
  wasteBytes: number
}

/**
 * Prepares the deletion of the bodies of captures. The document records of the captures must still be stored. A pack
 * that also has other bodies is written again without the deleted ones. If damage restored the earlier value of the
 * pack, the answers would be the same, because a body is found by the document record of its capture.
 *
 * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
 */
export async function deleteBodies(store: StoredValues, captureIds: readonly number[]): Promise<BodyDeletion> {
  const packs = new Set<number>()
  for (const captureId of captureIds) {
    const head = store.head(captureId)
    if (head) packs.add(captureId - head.afterPack)
  }
  const deleted = new Set(captureIds)
  const deletion: BodyDeletion = { operations: [], waste: [], wasteBytes: 0 }
  for (const number of packs) {
    if (deletion.operations.length % PACKS_AT_ONCE === PACKS_AT_ONCE - 1) await yieldToEventLoop()
    const key = bodyKey(number)
    const stored = store.get(key)
    if (!stored) continue
    const left = withoutBodies(number, stored, deleted)
    deletion.operations.push(left ? { type: 'put', key, value: left } : { type: 'del', key })
    deletion.waste.push(bodyRange(number))
    deletion.wasteBytes += stored.length
  }
  return deletion
}
