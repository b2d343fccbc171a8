import { propertyTerm } from '../text/terms/property-term.ts'
import { queryTerms } from '../text/terms/query-terms.ts'
import { TermScanner } from '../text/terms/term-scanner.ts'
import { type AnalyzedQuery, withAlternatives } from './analysis/analyze-query.ts'
import type { IndexView } from './collection/index-view.ts'
import { phraseCondition, termCondition } from './conditions/condition.ts'
import { type FindOptions, findHits, plainHits } from './find-hits.ts'
import { isOperatorName } from './plain/named-operators.ts'
import { parsePlain } from './plain/plain-query.ts'
import { phraseForms, type ScoringTerm } from './query/scoring-terms.ts'
import type { CompiledRelevance } from './relevance/compiled-relevance.ts'
import { analyzePlain } from './relevance/expand-query.ts'
import { compoundsOf } from './terms/compounds.ts'
import { decompound, dividedAnywhere, isUnknown } from './terms/decompounding.ts'
import { withJoinedWords } from './terms/joined-terms.ts'
import { knownIdentifiers, withIdentifiers } from './terms/known-identifiers.ts'
import { editsBetween } from './terms/near-terms.ts'
import { isFew, spellingCorrections } from './terms/spelling-corrections.ts'
import { FirstStage } from './topk/first-stage.ts'
import type { RankedHits } from './topk/ranked-hits.ts'

/** Maximum number of UTF-16 units before a word in which the name of an operator is looked for, such as `site:`. */
const MAX_OPERATOR = 300

/** A query, and access to the captures that show how a corrected word is written. */
export interface CorrectableQuery {
  /** The query as the caller wrote it. */
  text: string
  query: AnalyzedQuery
  /** The language that `query` was analyzed in, '' for none. */
  language: string
  /** The relevance of the index as of the instant. */
  relevance?: CompiledRelevance | undefined
  /** True if words that no capture contains are neither corrected nor split. */
  strict?: boolean
  /** Reads the title of a capture and its text, piece by piece. Called for one capture, and only if a query is corrected. */
  textsOf: (captureId: number) => Iterable<string>
}

export interface CorrectedHits {
  /** The hits, with the query that was searched for: the original, or the parsed `corrected`. */
  found: RankedHits<AnalyzedQuery>
  /** Text of the query that was searched for instead of the original. */
  corrected?: string
}

/**
 * Finds the best captures for a query, also by compounds that contain its words. Words that no capture contains as of the instant are treated as
 * follows:
 *
 * - If the query finds nothing or next to nothing, such words are corrected, and the hits are those of the corrected query.
 * - Otherwise, compounds among such words are split, and their parts score in addition to the words of the query.
 *
 * Identifiers that are in the data of some page are searched for as written.
 */
export function findCorrected(
  index: IndexView,
  { text, query: asked, language, relevance, strict, textsOf }: CorrectableQuery,
  options: FindOptions,
): CorrectedHits {
  const identifiers = knownIdentifiers(asked.identifiers ?? [], index)
  const compounds = compoundsOf(index, asked, language)
  const identified = withIdentifiers(withJoinedWords(asked, index), identifiers)
  const wanted = compounds.length > 0 ? { ...identified, terms: [...identified.terms, ...compounds] } : identified
  const first = new FirstStage(index, wanted, options)
  const { query, frequencies } = first.ranking
  if (options.limit === 0 || strict) return { found: plainHits(first, index, options) }
  const divided = isFew(frequencies) ? dividedAnywhere(index, query, frequencies) : []
  const unknown = query.terms.filter(({ beside }, t) => beside === undefined && isUnknown(query.terms, frequencies, t))
  const isKnown = ({ term }: ScoringTerm): boolean => divided.some(({ unless }) => unless === term)
  // The divided words are searched for only if no other word is unknown. Otherwise the query is corrected.
  if (divided.length > 0 && unknown.every(isKnown)) {
    const again = findHits(index, withAlternatives(query, divided), options)
    if (!again.isEmpty) return { found: again }
  }
  const found = plainHits(first, index, options)
  if (!frequencies.includes(0)) return { found }
  // A word with alternatives, such as synonyms, is neither corrected nor split: it is spelled as intended.
  const kept = new Set([
    ...identifiers.flatMap(({ words }) => words),
    ...wanted.terms.flatMap(({ term, insteadOf }) => (insteadOf ? [term, ...insteadOf] : [])),
    ...(wanted.alternatives ?? []).flatMap(({ terms }) => terms.map(({ term }) => term)),
  ])
  const replacements = spellingCorrections(index, query, frequencies, kept)
  const corrected =
    replacements.size > 0 ? correctText(index, { text, query: asked, textsOf }, replacements, options) : undefined
  if (corrected !== undefined) {
    // The corrected query is another text, so it must be parsed. No other step of a search parses a second time.
    const analyzed = withJoinedWords(analyzePlain(parsePlain(corrected).clauses, { language, relevance }), index)
    const again = withIdentifiers(analyzed, identifiers)
    return { found: findHits(index, again, options), corrected }
  }
  // No page contains the required phrases, perhaps because an unknown word is in them. So more terms cannot find more pages.
  if (found.isEmpty && query.phrases.length > 0) return { found }
  const { captures } = index.collection.statistics
  const mayBeParts = (parts: readonly string[]): boolean => language !== '' || occurTogether(index, parts, options)
  const parts = decompound(index, query, language, { frequencies, captures, kept, mayBeParts })
  if (parts.length === 0) return { found }
  return { found: findHits(index, { ...query, terms: [...query.terms, ...parts] }, options) }
}

/**
 * Returns true if some capture contains all words and is in no language that has a stemmer. If the language of the query is unknown, a word
 * is split only into parts for which this is true. Otherwise `harbor` would be split, because its parts happen to be Norwegian words.
 */
function occurTogether(index: IndexView, words: readonly string[], options: FindOptions): boolean {
  const phrases = words.map(word => phraseForms(queryTerms(word))[0]!)
  const [first] = phrases
  if (!first) return false
  const inLanguages = index.collection.languages().map(language => termCondition(propertyTerm('lang', language)))
  const { hits } = findHits(
    index,
    {
      condition: {
        kind: 'all',
        parts: [...phrases.map(phraseCondition), { kind: 'not', part: { kind: 'any', parts: inLanguages } }],
      },
      terms: first.map(({ term }) => ({ term, count: 1 })),
      patterns: [],
    },
    { ...options, limit: 1, order: undefined, read: undefined, onStatistics: undefined },
  )
  return hits.length > 0
}

/**
 * Returns the text of the query with its misspelled words replaced. Each replacement is spelled as on the best page for the corrected query.
 * Undefined if no page matches the corrected query.
 */
function correctText(
  index: IndexView,
  { text, query, textsOf }: Pick<CorrectableQuery, 'text' | 'query' | 'textsOf'>,
  replacements: ReadonlyMap<string, string>,
  { read: _, onStatistics: __, order: ___, ...options }: FindOptions,
): string | undefined {
  const terms = query.terms.map(({ term, ...rest }) => ({ term: replacements.get(term) ?? term, ...rest }))
  const [best] = findHits(index, { ...query, terms }, { ...options, limit: 1 }).hits
  if (!best) return undefined
  const texts = [...textsOf(best.segment.columns.captureIds[best.ordinal]!)]
  let corrected = ''
  let from = 0
  for (const { term, word, start, end } of queryTerms(text)) {
    const replacement = replacements.get(term)
    if (replacement === undefined || isInOperator(text, start)) continue
    corrected += text.slice(from, start) + spellingIn(texts, replacement, word)
    from = end
  }
  return corrected + text.slice(from)
}

/** True if an offset of a query is inside an operator with a value, such as `site:example.com`. */
function isInOperator(text: string, at: number): boolean {
  const [, name = ''] = /(?:^|[\s(])[-!+]?([a-z]+):\S*$/i.exec(text.slice(Math.max(0, at - MAX_OPERATOR), at)) ?? []
  return isOperatorName(name.toLowerCase())
}

/** Returns the spelling of a term in several texts that is nearest to the typed word. Returns the term itself if no text contains it. */
function spellingIn(texts: readonly string[], term: string, typed: string): string {
  const scanner = new TermScanner([term])
  const forms = texts.flatMap(text => scanner.scan(text).map(({ start, end }) => text.slice(start, end).toLowerCase()))
  const [nearest] = forms
    .map(form => ({ form, edits: editsBetween(form, typed) }))
    .sort((a, b) => a.edits - b.edits)
    .map(({ form }) => form)
  return nearest ?? term
}
