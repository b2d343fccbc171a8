import type { RevisedFields } from '../../segment/columns/revisions.ts'
import { languageRangesOf, propertyPrefix, propertyTerm } from '../../text/terms/property-term.ts'
import { TokenBuffer, tokenize } from '../../text/terms/tokens.ts'
import { predicateOf, type TermPattern } from '../conditions/term-pattern.ts'
import type { Phrase } from '../query/scoring-terms.ts'

const prefixes = (['author', 'lang', 'type'] as const).map(propertyPrefix)

/** True if a term, or a prefix of terms, is of a property that a revision may change: author, language or kind. */
export function isRevisable(term: string): boolean {
  return prefixes.some(prefix => term.startsWith(prefix))
}

const tokens = new TokenBuffer()
const known = new WeakMap<RevisedFields, Map<string, number[]>>()

/** The terms under which a capture with these fields would be indexed, each with its positions, ascending. */
export function termsOfRevised(fields: RevisedFields): Map<string, number[]> {
  const before = known.get(fields)
  if (before) return before
  const terms = new Map<string, number[]>()
  tokens.count = 0
  tokenize(fields.author, tokens)
  for (let i = 0; i < tokens.count; i++) {
    const term = propertyTerm('author', tokens.term(i))
    const positions = terms.get(term)
    if (positions) positions.push(tokens.positions[i]!)
    else terms.set(term, [tokens.positions[i]!])
  }
  for (const range of languageRangesOf(fields.lang, fields.language)) terms.set(propertyTerm('lang', range), [0])
  terms.set(propertyTerm('type', fields.kind), [0])
  known.set(fields, terms)
  return terms
}

/** True if the fields contain a phrase. */
export function containsPhrase(fields: RevisedFields, phrase: Phrase): boolean {
  return startsOf(fields, phrase).length > 0
}

/**
 * True if the fields contain two phrases with at most `distance` positions from the end of one to the start of the other.
 */
export function containsNear(fields: RevisedFields, left: Phrase, right: Phrase, distance: number): boolean {
  const rights = startsOf(fields, right)
  return startsOf(fields, left).some(start =>
    rights.some(other => {
      const gap = other > start ? other - start - spanOf(left) : start - other - spanOf(right)
      return gap >= 1 && gap <= distance
    }),
  )
}

/** True if the fields contain a term that matches a pattern. */
export function containsPattern(fields: RevisedFields, pattern: TermPattern): boolean {
  const test = predicateOf(pattern)
  for (const term of termsOfRevised(fields).keys()) if (test(term)) return true
  return false
}

function spanOf(phrase: Phrase): number {
  return phrase[phrase.length - 1]!.offset
}

function startsOf(fields: RevisedFields, phrase: Phrase): number[] {
  const terms = termsOfRevised(fields)
  const [first, ...others] = phrase
  const starts = (first && terms.get(first.term)) ?? []
  return starts.filter(start => others.every(({ term, offset }) => terms.get(term)?.includes(start + offset)))
}
