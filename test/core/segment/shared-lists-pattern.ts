import type { ListKey, SharedListMemory } from '../../../core/segment/shared-lists.ts'

/** The key and the size of a list of the tests. */
export function keyOf(list: number): ListKey & { bytes: number } {
  // Some of the addresses take more than 32 bits, and some lists differ only in their segment or their stream.
  const at = (list >> 2) * 4096 + (list % 8 === 0 ? 2 ** 33 : 0)
  return { segment: list & 1, stream: list & 2 ? 2 : 5, at, bytes: 1000 + ((list * 977) % 9000) }
}

export function writeList({ memory }: SharedListMemory, at: number, list: number): void {
  new Uint32Array(memory.buffer, at, keyOf(list).bytes >> 2).fill(list + 1)
}

export function holdsList({ memory }: SharedListMemory, at: number, list: number): boolean {
  return new Uint32Array(memory.buffer, at, keyOf(list).bytes >> 2).every(word => word === list + 1)
}
