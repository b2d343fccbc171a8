import { propertyTerm, type TextProperty } from '../text/terms/property-term.ts'
import { termInterner } from '../text/terms/term-interner.ts'

/** The ids of the terms of a property by those of its words, plus 1; 0 if they are not known. They are valid in one generation of the interner. */
let generation = -1
const known = new Map<TextProperty, Uint32Array>()

/** Returns the interner's id of a word of a property, without making the string of its term again. */
export function idOfProperty(property: TextProperty, word: number): number {
  if (generation !== termInterner.generation) {
    for (const ids of known.values()) ids.fill(0)
    generation = termInterner.generation
  }
  let ids = known.get(property)
  if (!ids || word >= ids.length) {
    const larger = new Uint32Array(Math.max(1 << 13, 2 * termInterner.count))
    if (ids) larger.set(ids)
    known.set(property, larger)
    ids = larger
  }
  if (ids[word] === 0) ids[word] = 1 + termInterner.idOfTerm(propertyTerm(property, termInterner.term(word)))
  return ids[word]! - 1
}
