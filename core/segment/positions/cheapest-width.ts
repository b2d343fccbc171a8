const MAX_BITS = 24

/** By width: how many integers are exceptions at this width, but not at the next one. */
const exceptions = new Uint32Array(MAX_BITS + 1)

/**
 * Returns the width, from 1 on, with which the first `count` integers take about the fewest bytes if those of at least 2^width − 1
 * are exceptions, which take bytes of their own.
 *
 * @param mostBits - the maximum width, at most 24.
 * @param bytesOf - the bytes of the exceptions of a width: of their number, and of how many of them are also exceptions of 7 bits.
 */
export function cheapestWidth(
  values: Uint32Array,
  count: number,
  mostBits: number,
  bytesOf: (width: number, exceptions: number, long: number) => number,
): number {
  exceptions.fill(0)
  // The greatest width with which the integer is an exception.
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
