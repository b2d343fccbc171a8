import fc from 'fast-check'
import { isAsofError } from '../../../extract/errors/errors.ts'

/** What may happen to stored bytes. */
export type Damage = { kind: 'cut'; at: number } | { kind: 'change'; changes: [at: number, value: number][] }

/** Damage by place in 0 to 1, so that one arbitrary suits values of any length. */
export const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map(at => ({ kind: 'cut' as const, at })),
  fc
    .array(fc.tuple(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 6,
    })
    .map(changes => ({ kind: 'change' as const, changes })),
)

export function damaged(bytes: Uint8Array, done: Damage): Uint8Array {
  if (done.kind === 'cut') return Uint8Array.from(bytes.subarray(0, Math.floor(bytes.length * done.at)))
  const copy = Uint8Array.from(bytes)
  for (const [at, value] of done.changes) copy[Math.floor(copy.length * at)] = value
  return copy
}

/** Runs a read of damaged bytes: it may succeed or say that the store is corrupt or newer, but fail in no other way. */
export function readDamaged(read: () => void): void {
  try {
    read()
  } catch (error) {
    if (isAsofError(error, 'ASOF_STORE_CORRUPT') || isAsofError(error, 'ASOF_STORE_FORMAT')) return
    throw error
  }
}
