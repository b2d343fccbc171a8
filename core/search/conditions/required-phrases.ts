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
    switch (part.kind) {
      case 'all':
      case 'any':
        left.push(...part.parts)
        break
      case 'phrase':
        if (part.phrase.length > 1) phrases.push(part.phrase)
        else for (const { term } of part.phrase) single.add(term)
        break
      case 'near':
        for (const { term } of [...part.left, ...part.right]) single.add(term)
        break
      case 'not':
      case 'pattern':
      case 'path':
      case 'acquired':
      case 'published':
      case 'fields':
        break
      default:
        part satisfies never
    }
  const terms = new Set(phrases.flatMap(phrase => phrase.map(({ term }) => term)))
  return { phrases, terms: [...terms].filter(term => !single.has(term)) }
}
