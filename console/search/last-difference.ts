/**
 * Finds the last moment at which the answer differed from the current one. It goes back in steps that double, then bisects the last step, so
 * a history of 240 moments takes at most 16 answers.
 *
 * @param changes - moments before the current one at which the answer can differ from the one before, ascending, epoch ms.
 * @param newestAt - when the newest result of the current answer was acquired. Just before it, the answer differed for certain.
 * @param isSame - returns true if the answer as of a moment equals the current one.
 * @returns epoch ms; undefined if the answer has always been the same.
 */
export async function lastDifference(
  changes: readonly number[],
  newestAt: number | undefined,
  isSame: (at: number) => Promise<boolean>,
): Promise<number | undefined> {
  const before = newestAt === undefined ? undefined : newestAt - 1
  const later = changes.filter(change => change > (before ?? Number.NEGATIVE_INFINITY))
  const moments = before === undefined ? later : [before, ...later]
  const differsAt = async (place: number) =>
    (place === 0 && before !== undefined) || !(await isSame(moments[place] ?? 0))
  let same = moments.length
  let step = 1
  let other = Math.max(0, same - step)
  while (!(await differsAt(other))) {
    if (other === 0) return undefined
    same = other
    step *= 2
    other = Math.max(0, same - step)
  }
  while (same - other > 1) {
    const middle = (same + other) >> 1
    if (await differsAt(middle)) other = middle
    else same = middle
  }
  return moments[other]
}
