import type { Phrase } from '../query/scoring-terms.ts'
import type { Condition } from './condition.ts'

/** The phrases of several words that a query asks for. */
export interface RequiredPhrases {
  phrases: readonly Phrase[]
  /** The terms that it asks for only in these phrases. */
  terms: Iterable<string>
}

/** The phrases that a condition asks for, but not those that it excludes. */
export function requiredPhrases(condition: Condition): RequiredPhrases {
  const phrases: Phrase[] = []
  const single = new Set<string>()
  const left = [condition]
  for (let part = left.pop(); part; part = left.pop())
    if (part.kind === 'all' || part.kind === 'any') left.push(...part.parts)
    else if (part.kind === 'near') for (const { term } of [...part.left, ...part.right]) single.add(term)
    else if (part.kind === 'phrase' && part.phrase.length > 1) phrases.push(part.phrase)
    else if (part.kind === 'phrase') for (const { term } of part.phrase) single.add(term)
  const terms = new Set(phrases.flatMap(phrase => phrase.map(({ term }) => term)))
  return { phrases, terms: [...terms].filter(term => !single.has(term)) }
}
