/** Rows of the distance matrix. They are long enough for the longest term with a prefix. */
const rows: [Uint8Array, Uint8Array, Uint8Array] = [new Uint8Array(128), new Uint8Array(128), new Uint8Array(128)]

/**
 * True if at most `edits` insertions, deletions, replacements or swaps of neighboring units turn `a` into `b` (optimal
 * string alignment: no unit is edited twice). Each string may have at most 127 UTF-16 units.
 */
export function isWithinEdits(a: string, b: string, edits: number): boolean {
  if (Math.abs(a.length - b.length) > edits) return false
  let [before, previous, current] = rows
  for (let j = 0; j <= b.length; j++) previous[j] = j
  for (let i = 1; i <= a.length; i++) {
    current[0] = i
    let least = i
    const unit = a.charCodeAt(i - 1)
    for (let j = 1; j <= b.length; j++) {
      const other = b.charCodeAt(j - 1)
      let best = previous[j - 1]! + (unit === other ? 0 : 1)
      if (previous[j]! + 1 < best) best = previous[j]! + 1
      if (current[j - 1]! + 1 < best) best = current[j - 1]! + 1
      if (i > 1 && j > 1 && unit === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other && before[j - 2]! + 1 < best)
        best = before[j - 2]! + 1
      current[j] = best
      if (best < least) least = best
    }
    // No later row can come back below the limit. A swap reads the row before the previous one, which is why one more
    // edit is allowed here.
    if (least > edits + 1) return false
    ;[before, previous, current] = [previous, current, before]
  }
  return previous[b.length]! <= edits
}

/** True if at most `edits` edits, as {@link isWithinEdits} counts them, turn a beginning of `a` into `b`. */
export function beginsWithin(a: string, b: string, edits: number): boolean {
  const most = Math.min(a.length, b.length + edits)
  for (let length = Math.max(0, b.length - edits); length <= most; length++)
    if (isWithinEdits(a.slice(0, length), b, edits)) return true
  return false
}
