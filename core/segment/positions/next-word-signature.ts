/**
 * What stands right behind the occurrences of a term in a capture, in one byte: most captures that have the words of a
 * phrase, but not in a row, are told from it without their positions being read. It may say yes where there is no such
 * pair, never no where there is one (as signature files do: Faloutsos and Christodoulakis, TOIS 1984).
 *
 * 0: anything may. Of a weighted frequency of 1, which is one occurrence outside the title: the hash of the term behind
 * it. Of any other: one bit of eight per term behind one of them. Part of the format.
 */
export const ANYTHING = 0

/** FNV-1a of a term's UTF-8 bytes, folded to 1–255. Part of the format. */
export function nextWordHash(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193)
  return ((hash >>> 24) ^ (hash >>> 16) ^ (hash >>> 8) ^ hash) & 255 || 1
}

/** The bit of a hash where several terms share a signature. */
export function nextWordBit(hash: number): number {
  return 1 << (hash & 7)
}

/**
 * Whether a term of this hash may stand behind one with this signature.
 *
 * @param frequency - the weighted frequency of the one with the signature; asked for only where it decides.
 */
export function mayFollow(signature: number, hash: number, frequency: () => number): boolean {
  if (signature === ANYTHING || signature === hash) return true
  return (signature & nextWordBit(hash)) !== 0 && frequency() > 1
}
