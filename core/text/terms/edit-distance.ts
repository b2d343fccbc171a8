/** Rows of the distance matrix, for terms up to 64 units and a field's prefix. */
const rows = [new Uint8Array(128), new Uint8Array(128), new Uint8Array(128)]

/**
 * Whether `edits` insertions, deletions, replacements and swaps of neighbours make one string of the other (optimal
 * string alignment: no unit is edited twice). Counts UTF-16 units; neither string may have over 127.
 */
export function isWithin(a: string, b: string, edits: number): boolean {
  if (Math.abs(a.length - b.length) > edits) return false
  let [before, previous, current] = rows
  for (let j = 0; j <= b.length; j++) previous[j] = j
  for (let i = 1; i <= a.length; i++) {
    current[0] = i
    let least = i
    const unit = a.charCodeAt(i - 1)
    for (let j = 1; j <= b.length; j++) {
      const other = b.charCodeAt(j - 1)
      let best = previous[j - 1] + (unit === other ? 0 : 1)
      if (previous[j] + 1 < best) best = previous[j] + 1
      if (current[j - 1] + 1 < best) best = current[j - 1] + 1
      if (i > 1 && j > 1 && unit === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other && before[j - 2] + 1 < best)
        best = before[j - 2] + 1
      current[j] = best
      if (best < least) least = best
    }
    // A later row may still come from the one before this by a swap, at one edit more.
    if (least > edits + 1) return false
    ;[before, previous, current] = [previous, current, before]
  }
  return previous[b.length] <= edits
}
