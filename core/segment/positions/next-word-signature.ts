import { fnv1a } from '../../bytes/fnv1a.ts'

/**
 * One byte per posting that summarizes which terms come directly after the occurrences of its term. Most captures that
 * hold the words of a phrase, but not next to each other, are ruled out by it without reading positions. A signature may
 * match a term that does not follow, and always matches one that does (a signature file: Faloutsos and Christodoulakis,
 * TOIS 1984).
 *
 * - 0 matches every term.
 * - For a weighted frequency of 1 (a single occurrence, outside the title) the byte is the hash of the next term.
 * - For a higher frequency each next term sets one of the eight bits.
 *
 * Signatures are part of the stored format.
 */
export const ANYTHING = 0

/** FNV-1a of a term's UTF-8 bytes, folded to 1–255. Part of the stored format. */
export function nextWordHash(bytes: Uint8Array, start: number, end: number): number {
  const hash = fnv1a(bytes, start, end)
  return ((hash >>> 24) ^ (hash >>> 16) ^ (hash >>> 8) ^ hash) & 255 || 1
}

/** The bit that a hash sets where several next terms share a signature. */
export function nextWordBit(hash: number): number {
  return 1 << (hash & 7)
}

/**
 * True if a term with this hash may follow an occurrence of a term with this signature.
 *
 * @param frequency - returns the weighted frequency of the posting with the signature. Called only if that decides.
 */
export function mayFollow(signature: number, hash: number, frequency: () => number): boolean {
  if (signature === ANYTHING || signature === hash) return true
  return (signature & nextWordBit(hash)) !== 0 && frequency() > 1
}
