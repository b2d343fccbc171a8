/**
 * Returns the 32-bit FNV-1a hash of `bytes[start, end)` as a signed integer. It must not change, because hashes of
 * terms are stored.
 */
export function fnv1a(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash
}
