import type { Segment } from '../../segment/segment.ts'
import { queryTerms } from '../../text/terms/query-terms.ts'
import { TermScanner } from '../../text/terms/term-scanner.ts'
import { type FindOptions, type Found, type FoundHits, findHits } from '../find-hits.ts'
import { viewsAt } from '../postings/segment-view.ts'
import { type ParsedQuery, parseQuery } from '../query/parse-query.ts'
import { knownIdentifiers, withIdentifiers } from '../query/query-identifiers.ts'
import { termsWrittenTogether } from './decompounding.ts'
import { corrections } from './misspelt-terms.ts'
import { editsBetween } from './near-terms.ts'

/** A query as it was asked, and what is read to correct it. */
export interface SpeltQuery {
  text: string
  query: ParsedQuery
  /** The one that `query` was analysed in, '' for none. */
  language: string
  /** The title of a capture and its text, piece by piece: asked of one capture, and only to correct a query. */
  wordsOf: (captureId: number) => Iterable<string>
}

export interface SpeltFound {
  found: Found
  /** What was searched for: the query asked, or the one that `corrected` is. */
  query: ParsedQuery
  /** The text of the query that was searched for instead of the one asked. */
  corrected?: string
}

/**
 * Finds the best captures for a query that may have words that nobody wrote up to the instant. One that finds nothing,
 * or next to nothing, is answered with such words corrected: the answer is then that to the corrected query. In any
 * other the words count that such a word is made of. Identifiers that some page's data carries are searched for as they
 * are written.
 */
export function findSpelt(segments: readonly Segment[], spelt: SpeltQuery, options: FindOptions): SpeltFound {
  const views = viewsAt(segments, options.instant, options.times.acquired)
  const identifiers = knownIdentifiers(spelt.query.identifiers ?? [], views)
  const { language } = spelt
  const found = findHits(segments, withIdentifiers(spelt.query, identifiers), options)
  const { query } = found
  if (options.limit === 0 || !found.frequencies.includes(0)) return { found, query }
  const meantSo = new Set(identifiers.flatMap(({ words }) => words))
  const replaced = corrections(views, query, found.frequencies, meantSo)
  const corrected = replaced.size > 0 ? correctedText(segments, spelt, replaced, options) : undefined
  if (corrected !== undefined) {
    const again = withIdentifiers(parseQuery(corrected, language), identifiers)
    return { ...searched(findHits(segments, again, options)), corrected }
  }
  // Then a phrase has the unknown word, or stands nowhere: to count further words finds no more.
  if (found.hits.length === 0 && query.phrases.length > 0) return { found, query }
  const parts = termsWrittenTogether(views, query, language, {
    frequencies: found.frequencies,
    captures: found.statistics.captures,
    meantSo,
  })
  if (parts.length === 0) return { found, query }
  const apart = { ...query, terms: [...query.terms, ...parts] }
  return searched(findHits(segments, apart, options))
}

function searched(found: FoundHits): SpeltFound {
  return { found, query: found.query }
}

/** The query with the corrected words as the best page for them writes them; `undefined` when no page fulfils its conditions. */
function correctedText(
  segments: readonly Segment[],
  { text, query, wordsOf }: SpeltQuery,
  replaced: ReadonlyMap<string, string>,
  { read: _, onStatistics: __, ...options }: FindOptions,
): string | undefined {
  const terms = query.terms.map(({ term, ...rest }) => ({ term: replaced.get(term) ?? term, ...rest }))
  const [best] = findHits(segments, { ...query, terms }, { ...options, limit: 1 }).hits
  if (!best) return undefined
  const words = [...wordsOf(best.segment.columns.captureIds[best.ordinal])]
  let corrected = ''
  let from = 0
  for (const { term, word, start, end } of queryTerms(text)) {
    const meant = replaced.get(term)
    if (meant === undefined || isOperator(text, start)) continue
    corrected += text.slice(from, start) + writtenForm(meant, word, words)
    from = end
  }
  return corrected + text.slice(from)
}

/** Whether the part of a query that an offset lies in is a `site:`. */
function isOperator(text: string, at: number): boolean {
  return /^site:/i.test(text.slice(0, at).match(/\S*$/)?.[0] ?? '')
}

/** How a page writes a term, most like the word that was typed; the term itself when it doesn't write it. */
function writtenForm(term: string, typed: string, texts: readonly string[]): string {
  const scanner = new TermScanner([term])
  const forms = texts.flatMap(text => scanner.scan(text).map(({ start, end }) => text.slice(start, end).toLowerCase()))
  const [nearest] = forms
    .map(form => ({ form, edits: editsBetween(form, typed) }))
    .sort((a, b) => a.edits - b.edits)
    .map(({ form }) => form)
  return nearest ?? term
}
