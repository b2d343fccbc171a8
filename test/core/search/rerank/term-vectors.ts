import { type TermVector, termHash } from '../../../../core/segment/term-vector.ts'

/** The term vector of a page with these terms, in the order of first appearance; a repeated term has a higher frequency. */
export function termVector(...terms: string[]): TermVector {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  const hashes = [...counts.keys()].map(term => termHash(Buffer.from(term), 0, Buffer.byteLength(term)))
  return { hashes: Uint16Array.from(hashes), frequencies: Uint8Array.from(counts.values()) }
}
