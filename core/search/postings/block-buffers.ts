import { BLOCK } from '../../bytes/bit-packing.ts'

/** Number of buffers that are reused from one search to the next; a query of very many terms allocates more. */
const KEPT_BUFFERS = 1024

const kept: Uint32Array[] = []
let used = 0

/**
 * Makes the buffers of the previous search available again. Must be called when a search begins; a thread runs one search
 * at a time.
 */
export function reuseBlockBuffers(): void {
  used = 0
}

/** Returns a buffer for the ordinals or frequencies of one block. It belongs to the caller until the search ends. */
export function blockBuffer(): Uint32Array {
  if (used === KEPT_BUFFERS) return new Uint32Array(BLOCK)
  const buffer = kept[used] ?? new Uint32Array(BLOCK)
  kept[used++] = buffer
  return buffer
}
