import { randomBits } from '../../service/evaluate/random-bits.ts'

/** A seeded random number generator: the same seed gives the same corpus on every machine. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number
  /** Uniform whole number in [0, below). */
  below(below: number): number
  /** Standard normal distribution. */
  normal(): number
}

/** The bits of {@link randomBits} as numbers. */
export function seededRandom(seed: number, stream = 0): Random {
  const bits = randomBits(seed, stream)
  const next = () => bits() / 4294967296
  return {
    next,
    below: below => Math.floor(next() * below),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  }
}

/** Draws ranks 0 … size - 1 with probability ∝ 1 / (rank + 1)^exponent in constant time (Walker's alias method). */
export function zipf(size: number, exponent = 1): { draw(random: Random): number } {
  const scaled = new Float64Array(size)
  let total = 0
  for (let rank = 0; rank < size; rank++) total += scaled[rank] = 1 / (rank + 1) ** exponent
  for (let rank = 0; rank < size; rank++) scaled[rank]! *= size / total
  const keep = new Float64Array(size).fill(1)
  const alias = new Uint32Array(size)
  const small: number[] = []
  const large: number[] = []
  for (let rank = 0; rank < size; rank++) (scaled[rank]! < 1 ? small : large).push(rank)
  while (small.length > 0 && large.length > 0) {
    const low = small.pop()!
    const high = large.at(-1)!
    keep[low] = scaled[low]!
    alias[low] = high
    scaled[high]! -= 1 - scaled[low]!
    if (scaled[high]! < 1) small.push(large.pop()!)
  }
  return {
    draw(random) {
      const column = random.below(size)
      return random.next() < keep[column]! ? column : alias[column]!
    },
  }
}
