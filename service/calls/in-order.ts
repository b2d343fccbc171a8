/** Maximum number of items that are worked on at the same time. */
const AT_A_TIME = 4

/**
 * Works on items, a few at the same time, and begins none after one has failed.
 *
 * @returns the results in the order of the items.
 * @throws the error of the first item that failed, once no item is being worked on any more.
 */
export async function inOrder<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const left = items.entries()
  async function worker(): Promise<void> {
    for (const [i, item] of left) {
      try {
        results[i] = await work(item)
      } catch (failure) {
        failures.push(failure)
      }
      if (failures.length > 0) return
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}
