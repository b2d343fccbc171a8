import type { Hit } from '../../kernels/top-hits.ts'
import type { Segment } from '../../segment/segment.ts'
import { isRevisable } from '../clauses/revised-terms.ts'
import { type Condition, conjunctsOf, isAnyTermOf, oneTermOf } from '../conditions/condition.ts'
import type { Boost } from './boosts.ts'

/** Maximum number of phrases that are searched for one by one. */
const MAX_SEARCHES = 8

/** A condition that captures fulfill by any word that scores, or by a phrase instead of the words. */
export interface Either {
  condition: Condition
  phrases: readonly Condition[]
}

/** Returns such a condition, if a query has one with at most {@link MAX_SEARCHES} phrases. @param scored - all terms that score. */
export function eitherOf(parts: readonly Condition[], scored: ReadonlySet<string>): Either | undefined {
  const isScored = (part: Condition): boolean => {
    const term = oneTermOf(part)
    return term !== undefined && scored.has(term) && !isRevisable(term)
  }
  for (const condition of parts) {
    if (condition.kind !== 'any') continue
    const phrases = condition.parts.filter(part => !isScored(part))
    const isShort =
      phrases.length > 0 && phrases.length <= MAX_SEARCHES && phrases.every(({ kind }) => kind === 'phrase')
    if (isShort && isAnyTermOf({ kind: 'any', parts: condition.parts.filter(isScored) }, scored))
      return { condition, phrases }
  }
  return undefined
}

/** Returns the boosts that a capture may have without fulfilling one of some phrases. */
export function boostsBeside(phrases: readonly Condition[], boosts: readonly Boost[]): Boost[] {
  const searched = new Set(phrases.flatMap(part => (part.kind === 'phrase' && !part.title ? [part.phrase] : [])))
  const isSearched = (form: Condition): boolean =>
    conjunctsOf(form).some(part => part.kind === 'phrase' && searched.has(part.phrase))
  return boosts.filter(({ forms }) => !forms.every(isSearched))
}

/** Returns the first hit of each capture. */
export function firstOfEach(hits: readonly Hit[]): Hit[] {
  const found = new Map<Segment, Set<number>>()
  return hits.filter(({ segment, ordinal }) => {
    const ordinals = found.get(segment) ?? new Set()
    found.set(segment, ordinals)
    const isFirst = !ordinals.has(ordinal)
    ordinals.add(ordinal)
    return isFirst
  })
}
