import { fnv1a } from '../bytes/fnv1a.ts'
import { nextWordHash } from '../segment/positions/next-word-signature.ts'
import { termHash } from '../segment/term-vector.ts'
import { languages } from '../text/languages/table/languages.ts'
import { termInterner } from '../text/terms/term-interner.ts'

/** The bit of a term's traits that is set if term vectors leave the term out. */
export const LEFT_OUT = 2 ** 24

/**
 * The traits of each term of the interner, from which the postings of a page are made. They are one number: the term's hash in term
 * vectors (the lowest 16 bits), its hash in next-word signatures (8 bits), and {@link LEFT_OUT}.
 */
export class TermTraits {
  /** The traits of each term, by its id. Valid for the terms that existed at the last call of {@link learn}. */
  traits: Uint32Array
  #known = 0
  #generation = termInterner.generation

  /** @param traits - memory for the traits. If it has no room for a term, another array takes its place. */
  constructor(traits: Uint32Array = new Uint32Array(1 << 13)) {
    this.traits = traits
  }

  /** Computes the traits of terms that are new in the interner. */
  learn(): void {
    if (this.#generation !== termInterner.generation) this.#known = 0
    this.#generation = termInterner.generation
    const { count, bytes, ends } = termInterner
    if (count > this.traits.length) {
      const larger = new Uint32Array(Math.max(count, 2 * this.traits.length))
      larger.set(this.traits)
      this.traits = larger
    }
    for (let start = termInterner.startOf(this.#known); this.#known < count; this.#known++) {
      const end = ends[this.#known]!
      const leftOut = isVectorTerm(this.#known, bytes, start, end) ? 0 : LEFT_OUT
      this.traits[this.#known] = leftOut | (nextWordHash(bytes, start, end) << 16) | termHash(bytes, start, end)
      start = end
    }
  }
}

/** {@link fnv1a} of the English function words. */
const functionWords = languages.functionWords('en')
const functionWordHashes = new Set([...functionWords].map(word => fnv1a(Buffer.from(word))))

/** False for a function word or a single character, which do not indicate what a page is about. */
function isVectorTerm(id: number, bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start]!
  // A character of four bytes does not count as a single one, because it has two UTF-16 units.
  if (end - start === (first < 0x80 ? 1 : first < 0xe0 ? 2 : 3)) return false
  return !functionWordHashes.has(fnv1a(bytes, start, end)) || !functionWords.has(termInterner.term(id))
}
