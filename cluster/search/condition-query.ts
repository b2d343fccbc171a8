import { type Condition, type ContenderQuery, type FilterNode, isRevisable } from '@asof/core/internal'
import { hasAnyTerm, hasTerm, type TermQuery } from '../terms/term-queries.ts'
import { indexedTerm, phraseText } from '../terms/terms-text.ts'
import { acquiredValues, type ValueSource, windowRange } from './value-source.ts'

type Window = Extract<Condition, { window: unknown }>['window']
type Phrase = Extract<Condition, { kind: 'phrase' }>['phrase']

/** What the term index can tell about a condition. */
export interface ConditionQuery {
  /** Every capture that fulfills the condition fulfills this, and perhaps others do. Undefined if any capture may fulfill the condition. */
  necessary: TermQuery | undefined
  /** A query that decides the condition, except for some captures. */
  query: TermQuery
  /** Which captures it does not decide: those that fulfill one of these queries. */
  undecided: readonly TermQuery[]
  /** True if it depends on dates, values of fields or single words that a revision may change. */
  hasValues: boolean
  /** True if it depends on other things that a revision may change: it does not decide captures that were revised. */
  isRevisable: boolean
}

/** A query that no capture fulfills. */
const NONE: TermQuery = { match_none: {} }

type Patterns = Pick<ContenderQuery, 'patterns' | 'acquiredPatterns'>

/** Translates a condition. @param source - the dates and values of the captures that are decided. Default: those of captures as acquired. */
export function conditionQuery(condition: Condition, patterns: Patterns, source = acquiredValues): ConditionQuery {
  switch (condition.kind) {
    case 'all':
    case 'any': {
      const parts = condition.parts.map(part => conditionQuery(part, patterns, source))
      const combined = condition.kind === 'all' ? allQueries : anyQuery
      const necessary = necessaryOf(parts)
      const isAnyPossible = condition.kind === 'all' ? necessary.length === 0 : necessary.length < parts.length
      return {
        necessary: isAnyPossible ? undefined : combined(necessary),
        query: combined(parts.map(({ query }) => query)),
        undecided: parts.flatMap(({ undecided }) => undecided),
        hasValues: parts.some(part => part.hasValues),
        isRevisable: parts.some(part => part.isRevisable),
      }
    }
    case 'not': {
      const part = conditionQuery(condition.part, patterns, source)
      const query = { bool: { must_not: [part.query] } }
      const isDecided = part.undecided.length === 0 && !part.hasValues && !part.isRevisable
      return { ...part, query, necessary: isDecided ? query : undefined }
    }
    case 'phrase':
      return condition.title ? undecidedPhrase([condition.phrase]) : phraseQuery(condition.phrase, source)
    case 'near':
      return undecidedPhrase([condition.left, condition.right])
    case 'pattern': {
      const terms = patterns.patterns[condition.number]
      const necessary = terms && hasAnyTerm(terms)
      const acquired = patterns.acquiredPatterns[condition.number]
      return acquired
        ? { necessary, query: hasAnyTerm(acquired), undecided: [], hasValues: false, isRevisable: !necessary }
        : { necessary, query: NONE, undecided: [necessary ?? { match_all: {} }], hasValues: false, isRevisable: true }
    }
    case 'acquired': {
      const query = acquiredWithin(condition.window)
      return { necessary: query, query, undecided: [], hasValues: false, isRevisable: false }
    }
    case 'published':
      return ofValues(source.published(condition.window))
    case 'fields':
      return ofValues(fieldsQuery(condition.filter.root, source))
  }
}

function ofValues(query: TermQuery): ConditionQuery {
  return { necessary: undefined, query, undecided: [], hasValues: true, isRevisable: false }
}

/** The captures that were acquired within a window. */
export function acquiredWithin(window: Window): TermQuery {
  // OpenSearch would read every capture for a range without ends.
  const isOpen = window.from === Number.NEGATIVE_INFINITY && window.to === Number.POSITIVE_INFINITY
  return isOpen ? { match_all: {} } : { range: { acquiredAt: windowRange(window) } }
}

function fieldsQuery(node: FilterNode, source: ValueSource): TermQuery {
  switch (node.kind) {
    case 'all':
      return allQueries(node.parts.map(part => fieldsQuery(part, source)))
    case 'any':
      return anyQuery(node.parts.map(part => fieldsQuery(part, source)))
    case 'not':
      return { bool: { must_not: [fieldsQuery(node.part, source)] } }
    case 'terms':
      return node.terms.length + node.ranges.length > 0 ? source.having(node.terms, node.ranges) : NONE
  }
}

/**
 * Words of a text that follow one another are found by their positions, except where these differ from those of the
 * capture. The term index does not have the endings of words, so core decides whether a page has a quoted word as written.
 */
function phraseQuery(phrase: Phrase, source: ValueSource): ConditionQuery {
  const [first] = phrase
  if (first && phrase.length === 1) {
    const hasValues = isRevisable(first.term)
    const query = hasValues && !source.isAcquired ? source.having([first.term], []) : hasTerm(first.term)
    const necessary = mayHave(phrase)
    return first.endings === undefined
      ? { necessary, query, undecided: [], hasValues, isRevisable: false }
      : { necessary, query: NONE, undecided: [query], hasValues, isRevisable: false }
  }
  const isAsIndexed = phrase.every(({ endings }) => endings === undefined)
  const isAdjacent = phrase.every(({ offset }, i) => i === 0 || offset === phrase[i - 1]!.offset + 1)
  if (!isAsIndexed || !isAdjacent || !isOfText(phrase)) return undecidedPhrase([phrase])
  const { placed, misplaced } = inText(phrase)
  return {
    ...{ necessary: anyQuery([placed, misplaced]), query: placed, undecided: [misplaced] },
    ...{ hasValues: false, isRevisable: false },
  }
}

/** Core decides for all captures that have the words. */
function undecidedPhrase(phrases: readonly Phrase[]): ConditionQuery {
  const words = phrases.flat()
  const together = allQueries(words.map(({ term }) => hasTerm(term)))
  const necessary = phrases.map(mayHave).filter(query => query !== undefined)
  return {
    necessary: necessary.length > 0 ? allQueries(necessary) : undefined,
    ...{ query: NONE, undecided: [together], hasValues: false },
    isRevisable: words.some(({ term }) => isRevisable(term)),
  }
}

/** The captures that may have a phrase. Undefined if any may. */
function mayHave(phrase: Phrase): TermQuery | undefined {
  if (phrase.length > 1 && isOfText(phrase)) return anyQuery(Object.values(inText(phrase)))
  // A revision may have changed which captures have a revisable term, without a change of the term index.
  const fixed = phrase.filter(({ term }) => !isRevisable(term))
  return fixed.length > 0 ? allQueries(fixed.map(({ term }) => hasTerm(term))) : undefined
}

/** True for words of a text. The positions of words in values are not those of the text. */
function isOfText(phrase: Phrase): boolean {
  return phrase.every(({ term }) => !/^[:@]/.test(term))
}

/** The captures with a phrase at its positions, and those with its words of which one is indexed at another position. */
function inText(phrase: Phrase): { placed: TermQuery; misplaced: TermQuery } {
  const misplaced = { terms: { misplaced: phrase.map(({ term }) => indexedTerm(term)) } }
  return {
    placed: { match_phrase: { terms: { query: phraseText(phrase) } } },
    misplaced: allQueries([misplaced, ...phrase.map(({ term }) => hasTerm(term))]),
  }
}

/** The necessary queries of several conditions. */
export function necessaryOf(queries: readonly ConditionQuery[]): TermQuery[] {
  return queries.map(({ necessary }) => necessary).filter(query => query !== undefined)
}

export function allQueries(filter: readonly TermQuery[]): TermQuery {
  return filter.length === 1 ? filter[0]! : filter.length > 0 ? { bool: { filter } } : { match_all: {} }
}

export function anyQuery(should: readonly TermQuery[]): TermQuery {
  if (should.length === 0) return NONE
  return should.length === 1 ? should[0]! : { bool: { should, minimum_should_match: 1 } }
}
