/**
 * Mean and deviation of the similarities come from at least this many captures: in a larger index from a sample. The minimum of a hit then
 * differs from that by all captures by less than a tenth of a deviation, mostly by a thirtieth.
 */
export const MIN_SAMPLE = 2048
/** The levels are 0 to this. */
const MAX_LEVEL = 31

/**
 * Returns the sampling level of a vector: half of all vectors have a level of at least 1, a quarter at least 2, and so on. It depends on the
 * vector alone, so a sample as of an instant is the same wherever and whenever the captures are compared.
 */
export function levelOf(vector: Int8Array): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < vector.length; i++) hash = Math.imul(hash ^ (vector[i]! & 0xff), 0x01000193)
  // The low bits of the hash depend on the low bits of the components only, so all bits are mixed.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  hash ^= hash >>> 16
  return hash === 0 ? MAX_LEVEL : 31 - Math.clz32(hash & -hash)
}

/** Counts captures by the sampling levels of their vectors. */
export class SampleLevels {
  readonly #counts = new Uint32Array(MAX_LEVEL + 1)

  add(level: number): void {
    this.#counts[level]!++
  }

  /**
   * The level from which on captures are in the sample: the highest that at least {@link MIN_SAMPLE} captures reach. 0 if the index has fewer
   * captures; the sample then has all of them.
   */
  get least(): number {
    let reached = 0
    for (let level = MAX_LEVEL; level > 0; level--) {
      reached += this.#counts[level]!
      if (reached >= MIN_SAMPLE) return level
    }
    return 0
  }
}
