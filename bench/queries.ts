import { seededRandom } from './random.ts'

/** Shares of the pages that a word occurs in: very common, common, medium, rare. */
const shares = [
  { from: 0.1, to: 1 },
  { from: 0.01, to: 0.1 },
  { from: 0.001, to: 0.01 },
  { from: 0, to: 0.001 },
]

/** Sorts the words of at least 2 pages into bands by the share of the pages they occur in; empty bands are left out. */
export function frequencyBands(documentFrequency: Map<string, number>, pages: number): string[][] {
  const bands = shares.map(({ from, to }) =>
    [...documentFrequency]
      .filter(([, df]) => df >= 2 && df / pages >= from && df / pages < to)
      .map(([word]) => word)
      .sort(),
  )
  if (bands.flat().length < 4) throw new RangeError('the corpus is too small for queries')
  return bands.filter(band => band.length > 0)
}

/**
 * Draws queries of 2 to 4 distinct words. Each word comes from a band picked at random, and from that band evenly, so
 * that a query mixes common and rare words as real ones do.
 */
export function drawQueries(bands: string[][], count: number, seed: number): string[] {
  const random = seededRandom(seed, 0x51)
  return Array.from({ length: count }, () => {
    const length = 2 + random.below(3)
    const query = new Set<string>()
    while (query.size < length) {
      const band = bands[random.below(bands.length)]
      query.add(band[random.below(band.length)])
    }
    return [...query].join(' ')
  })
}
