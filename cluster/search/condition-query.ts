import { type CandidateQuery, type Condition, isRevisable } from '@asof/core/internal'
import { hasAnyTerm, hasTerm, mayHavePhrase, type TermQuery } from '../terms/term-queries.ts'

type Phrase = Extract<Condition, { kind: 'phrase' }>['phrase']

/**
 * A query of the term index that every capture fulfills which fulfills a condition. Others may fulfill it too: the term index knows no
 * titles, distances, fields and revisions, and core leaves such captures out.
 *
 * @param patterns - see `CandidateQuery`.
 * @returns undefined if any capture may fulfill the condition.
 */
export function necessaryQuery(condition: Condition, patterns: CandidateQuery['patterns']): TermQuery | undefined {
  switch (condition.kind) {
    case 'all':
      return allOf(condition.parts.map(part => necessaryQuery(part, patterns)))
    case 'any': {
      const parts = condition.parts.map(part => necessaryQuery(part, patterns))
      return parts.every(part => part !== undefined) ? { bool: { should: parts, minimum_should_match: 1 } } : undefined
    }
    case 'not': {
      const term = oneTermOf(condition.part)
      return term === undefined ? undefined : { bool: { must_not: [hasTerm(term)] } }
    }
    case 'phrase':
      return phraseQuery(condition.phrase)
    case 'near':
      return allOf([condition.left, condition.right].map(phraseQuery))
    case 'pattern': {
      const terms = patterns[condition.number]
      return terms && hasAnyTerm(terms)
    }
    default:
      return undefined
  }
}

function allOf(parts: readonly (TermQuery | undefined)[]): TermQuery | undefined {
  const filter = parts.filter(part => part !== undefined)
  return filter.length > 0 ? { bool: { filter } } : undefined
}

function phraseQuery(phrase: Phrase): TermQuery | undefined {
  // The positions of words in values are not those of the text.
  const isOfText = phrase.length > 1 && phrase.every(({ term }) => !/^[:@]/.test(term))
  return isOfText ? mayHavePhrase(phrase) : allOf(phrase.map(({ term }) => queryOf(term)))
}

/** A revision may have changed which captures have a revisable term, without a change of the term index. */
function queryOf(term: string): TermQuery | undefined {
  return isRevisable(term) ? undefined : hasTerm(term)
}

/** The term that exactly the captures contain that fulfill a condition; undefined if there is no such term. */
function oneTermOf(condition: Condition): string | undefined {
  if (condition.kind !== 'phrase' || condition.title || condition.phrase.length !== 1) return undefined
  const [part] = condition.phrase
  return part && part.endings === undefined && !isRevisable(part.term) ? part.term : undefined
}
