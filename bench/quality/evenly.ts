/** Returns at most `most` items of a list, evenly spaced. */
export function evenly<Item>(items: readonly Item[], most: number): Item[] {
  const step = Math.max(1, items.length / most)
  return items.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step))
}
