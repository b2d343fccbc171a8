import { BLOCK } from '../../bytes/bit-packing.ts'

/** Buffers kept from one search to the next; a query of very many terms gets further ones of its own. */
const KEPT = 1024

const kept: Uint32Array[] = []
let used = 0

/** To be called when a search begins: all buffers given out before may be given out again. Searches do not overlap on a thread. */
export function reuseBlockBuffers(): void {
  used = 0
}

/** Room for the ordinals or frequencies of one block. */
export function blockBuffer(): Uint32Array {
  if (used === KEPT) return new Uint32Array(BLOCK)
  kept[used] ??= new Uint32Array(BLOCK)
  return kept[used++]
}
