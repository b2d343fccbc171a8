import { type Condition, type ContenderQuery, type FilterNode, isRevisable } from '@asof/core/internal'
import { hasAnyTerm, hasTerm, type TermQuery } from '../terms/term-queries.ts'
import { indexedTerm, phraseText } from '../terms/terms-text.ts'
import { acquiredValues, type ValueSource, windowRange } from './value-source.ts'

type Window = Extract<Condition, { window: unknown }>['window']
type Phrase = Extract<Condition, { kind: 'phrase' }>['phrase']

/** A condition as queries of the term index. */
export interface ConditionQuery {
  /** Matches all captures that fulfill the condition, and possibly others. Undefined if any capture may fulfill the condition. */
  necessary: TermQuery | undefined
  /** Matches exactly the captures that fulfill the condition, except those of {@link undecided}, for which it proves nothing. */
  query: TermQuery
  /** The captures for which core has to evaluate the condition: those that match one of these queries. */
  undecided: readonly TermQuery[]
  /** True if the condition depends on dates, values of fields or single words, which a revision may change. */
  hasValues: boolean
  /**
   * True if the condition depends on other parts of a capture that a revision may change, such as several words of an author. Then core
   * evaluates it for all revised captures.
   */
  isRevisable: boolean
}

/** Matches no capture. */
const NONE: TermQuery = { match_none: {} }

type Patterns = Pick<ContenderQuery, 'patterns' | 'acquiredPatterns'>

/** Translates a condition. @param source - the dates and values that it is evaluated on. Default: those that captures were acquired with. */
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
    case 'path': {
      const query = hasPath(condition.path)
      return { necessary: query, query, undecided: [], hasValues: false, isRevisable: false }
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

/** Matches the captures that were acquired within a window. */
export function acquiredWithin(window: Window): TermQuery {
  // For a range without ends OpenSearch would read every capture.
  const isOpen = window.from === Number.NEGATIVE_INFINITY && window.to === Number.POSITIVE_INFINITY
  return isOpen ? { match_all: {} } : { range: { acquiredAt: windowRange(window) } }
}

/** As `isBelowPath` of core. The URL of a marker is empty, so `begin` is −1. */
const BELOW_PATH = `
  String url = doc['url'].value;
  int begin = url.indexOf('/', url.indexOf('://') + 3);
  if (begin < 0 || !url.startsWith(params.path, begin)) return false;
  int end = begin + params.path.length();
  return end == url.length() || url.charAt(end) == (char) '/' || url.charAt(end) == (char) '?';`

/** Matches the captures whose URL has a path, or continues it after a slash. */
function hasPath(path: string): TermQuery {
  return { script: { script: { source: BELOW_PATH, params: { path } } } }
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
 * Translates a phrase. The term index finds consecutive words of a text by their positions. Core evaluates the phrase for captures whose
 * positions there differ, and for words that must match as written, because the term index has no endings of words.
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
    necessary: anyQuery([placed, misplaced]),
    query: placed,
    undecided: [misplaced],
    hasValues: false,
    isRevisable: false,
  }
}

/** Translates phrases so that core evaluates them for all captures that have their words. */
function undecidedPhrase(phrases: readonly Phrase[]): ConditionQuery {
  const words = phrases.flat()
  const together = allQueries(words.map(({ term }) => hasTerm(term)))
  const necessary = phrases.map(mayHave).filter(query => query !== undefined)
  return {
    necessary: necessary.length > 0 ? allQueries(necessary) : undefined,
    query: NONE,
    undecided: [together],
    hasValues: false,
    isRevisable: words.some(({ term }) => isRevisable(term)),
  }
}

/** Matches the captures that may have a phrase. Undefined if any capture may have it. */
function mayHave(phrase: Phrase): TermQuery | undefined {
  if (phrase.length > 1 && isOfText(phrase)) return anyQuery(Object.values(inText(phrase)))
  // A revision may add or remove a revisable term of a capture, and the term index keeps the terms that the capture was acquired with.
  const fixed = phrase.filter(({ term }) => !isRevisable(term))
  return fixed.length > 0 ? allQueries(fixed.map(({ term }) => hasTerm(term))) : undefined
}

/** True if all words of a phrase are words of the text. Words in values of fields have positions of their own. */
function isOfText(phrase: Phrase): boolean {
  return phrase.every(({ term }) => !/^[:@]/.test(term))
}

/**
 * `placed` matches the captures with the phrase. `misplaced` matches those that have all its words, but at least one of them at other positions
 * in the term index than in the capture.
 */
function inText(phrase: Phrase): { placed: TermQuery; misplaced: TermQuery } {
  const misplaced = { terms: { misplaced: phrase.map(({ term }) => indexedTerm(term)) } }
  return {
    placed: { match_phrase: { terms: { query: phraseText(phrase) } } },
    misplaced: allQueries([misplaced, ...phrase.map(({ term }) => hasTerm(term))]),
  }
}

/** Returns the `necessary` queries of several conditions. */
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
