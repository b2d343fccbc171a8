const MAX_BITS = 24

/** For each width, the number of integers that are exceptions at this width and not at the next one. */
const exceptions = new Uint32Array(MAX_BITS + 1)

/**
 * Returns the width, from 1 on, with which the first `count` integers take about the fewest bytes. Each integer takes `width` bits. An
 * integer of at least 2^width − 1 is an exception and takes further bytes.
 *
 * @param mostBits - the maximum width, at most 24.
 * @param bytesOf - returns the further bytes of all exceptions of a width, given their number and the number of those that are at least
 *   127 (`long`).
 */
export function cheapestWidth(
  values: Uint32Array,
  count: number,
  mostBits: number,
  bytesOf: (width: number, exceptions: number, long: number) => number,
): number {
  exceptions.fill(0)
  // The index is the greatest width at which the integer is an exception.
  for (let i = 0; i < count; i++) exceptions[Math.min(mostBits, 31 - Math.clz32(values[i]! + 1))]!++
  let best = mostBits
  let least = Number.POSITIVE_INFINITY
  let above = 0
  let long = 0
  for (let width = mostBits; width > 0; width--) {
    above += exceptions[width]!
    if (width >= 7) long = above
    const bytes = (count * width) / 8 + bytesOf(width, above, long)
    if (bytes >= least) continue
    best = width
    least = bytes
  }
  return best
}
