/** The endings of inflected English words, each with the end of the base form that it replaces. */
const removed: readonly [string, string][] = [
  ['ies', 'y'],
  ['ied', 'y'],
  ['es', ''],
  ['s', ''],
  ['ed', 'e'],
  ['ed', ''],
  ['ing', 'e'],
  ['ing', ''],
]
/** The endings that inflection adds to a base form. */
const added = ['s', 'es', 'd', 'ed', 'ing']

/**
 * Returns the inflected forms of an English word: `import`, `imports`, `imported` and `importing` for each of these. Not all of them are
 * words. The caller leaves out those that have another stem than the word.
 *
 * @param word - folded.
 */
export function inflectionsOf(word: string): string[] {
  const bases = new Set([word])
  for (const [ending, base] of removed)
    if (word.endsWith(ending) && word.length > ending.length + 1) {
      const start = word.slice(0, -ending.length)
      bases.add(start + base)
      if (base === '' && start.at(-1) === start.at(-2)) bases.add(start.slice(0, -1))
    }
  const forms = new Set(bases)
  for (const base of bases) {
    for (const ending of added) forms.add(base + ending)
    const start = base.slice(0, -1)
    if (base.endsWith('y')) forms.add(`${start}ies`).add(`${start}ied`)
    else if (base.endsWith('e')) forms.add(`${start}ing`)
    else forms.add(`${base}${base.at(-1)}ed`).add(`${base}${base.at(-1)}ing`)
  }
  return [...forms]
}
