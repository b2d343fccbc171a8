import type { SearchedMetadata } from '../../segment/columns/revisions.ts'
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
const known = new WeakMap<SearchedMetadata, Map<string, number[]>>()

/** The terms under which a capture with this metadata would be indexed, each with its positions, ascending. */
export function termsOfRevised(metadata: SearchedMetadata): Map<string, number[]> {
  const before = known.get(metadata)
  if (before) return before
  const terms = new Map<string, number[]>()
  tokens.count = 0
  tokenize(metadata.author, tokens)
  for (let i = 0; i < tokens.count; i++) {
    const term = propertyTerm('author', tokens.term(i))
    const positions = terms.get(term)
    if (positions) positions.push(tokens.positions[i]!)
    else terms.set(term, [tokens.positions[i]!])
  }
  for (const range of languageRangesOf(metadata.lang, metadata.language)) terms.set(propertyTerm('lang', range), [0])
  terms.set(propertyTerm('type', metadata.kind), [0])
  known.set(metadata, terms)
  return terms
}

/** True if the metadata contains a phrase. */
export function containsPhrase(metadata: SearchedMetadata, phrase: Phrase): boolean {
  return startsOf(metadata, phrase).length > 0
}

/**
 * True if the metadata contains two phrases with at most `distance` positions from the end of one to the start of the other.
 */
export function containsNear(metadata: SearchedMetadata, left: Phrase, right: Phrase, distance: number): boolean {
  const rights = startsOf(metadata, right)
  return startsOf(metadata, left).some(start =>
    rights.some(other => {
      const gap = other > start ? other - start - spanOf(left) : start - other - spanOf(right)
      return gap >= 1 && gap <= distance
    }),
  )
}

/** True if the metadata contains a term that matches a pattern. */
export function containsPattern(metadata: SearchedMetadata, pattern: TermPattern): boolean {
  const test = predicateOf(pattern)
  for (const term of termsOfRevised(metadata).keys()) if (test(term)) return true
  return false
}

function spanOf(phrase: Phrase): number {
  return phrase[phrase.length - 1]!.offset
}

function startsOf(metadata: SearchedMetadata, phrase: Phrase): number[] {
  const terms = termsOfRevised(metadata)
  const [first, ...others] = phrase
  const starts = (first && terms.get(first.term)) ?? []
  return starts.filter(start => others.every(({ term, offset }) => terms.get(term)?.includes(start + offset)))
}
