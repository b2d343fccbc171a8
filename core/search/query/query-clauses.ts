import { AsofError } from '../../errors.ts'
import { parseSite } from '../../url.ts'
import { quotationsIn } from './quotations.ts'

/** Queries may have at most this many characters (code points). */
export const MAX_QUERY_CHARS = 2048

/** One part of a plain query. Plain data, so that it can be sent to a search thread. */
export interface QueryClause {
  kind: 'word' | 'phrase' | 'site'
  /** A word as typed, the inside of a quotation, or a normalized domain. */
  text: string
  /** True if a hyphen before it excludes pages that match it. */
  isExcluded: boolean
}

const SPACE = /\s/

/**
 * Parses a query into its clauses, in their order: plain words, "quoted phrases", `site:` filters, and `-exclusions` of
 * each. An unpaired quotation mark, a lone hyphen and an empty `site:` are plain text.
 *
 * Parsing needs neither the clock nor the index, so a search does it once, before it waits for its turn.
 *
 * @throws ASOF_INVALID_QUERY - empty, only white space, or longer than {@link MAX_QUERY_CHARS}.
 * @throws ASOF_INVALID_OPTION - the value of a `site:` is not a domain.
 */
export function parseClauses(text: string): QueryClause[] {
  checkQueryText(text)
  const clauses: QueryClause[] = []
  let from = 0
  for (const { start, end } of quotationsIn(text)) {
    const isExcluded = text[start - 1] === '-' && beginsWord(text, start - 1)
    addWords(text, from, isExcluded ? start - 1 : start, clauses)
    clauses.push({ kind: 'phrase', text: text.slice(start + 1, end - 1), isExcluded })
    from = end
  }
  addWords(text, from, text.length, clauses)
  return clauses
}

/**
 * @throws ASOF_INVALID_QUERY - empty, only white space, or longer than {@link MAX_QUERY_CHARS}.
 */
export function checkQueryText(text: string): void {
  if (typeof text !== 'string') throw new AsofError('ASOF_INVALID_QUERY', 'the query must be a string')
  if (text.trim() === '') throw new AsofError('ASOF_INVALID_QUERY', 'the query is empty')
  if (text.length > MAX_QUERY_CHARS && (text.length > 2 * MAX_QUERY_CHARS || [...text].length > MAX_QUERY_CHARS))
    throw new AsofError('ASOF_INVALID_QUERY', `the query has over ${MAX_QUERY_CHARS} characters`)
}

/** The texts of the clauses of one kind that are not excluded. */
export function textsOf(clauses: readonly QueryClause[], kind: QueryClause['kind']): string[] {
  const texts: string[] = []
  for (const clause of clauses) if (clause.kind === kind && !clause.isExcluded) texts.push(clause.text)
  return texts
}

/**
 * The words and phrases of a query as one text, without operators and exclusions: the input of embedding models and
 * rerankers.
 */
export function plainText(clauses: readonly QueryClause[]): string {
  return [...textsOf(clauses, 'word'), ...textsOf(clauses, 'phrase')].join(' ').trim()
}

/** A word, perhaps with a hyphen or an unpaired quotation mark before it. */
const WORDS = /-?"?[^\s"]+/g

/** Adds the clauses of `[from, to)`, a part of the query that contains no quotation. */
function addWords(text: string, from: number, to: number, clauses: QueryClause[]): void {
  if (from === to) return
  const part = text.slice(from, to)
  // Not matchAll, which copies the expression.
  WORDS.lastIndex = 0
  for (let match = WORDS.exec(part); match; match = WORDS.exec(part)) {
    const { 0: whole, index } = match
    const isExcluded = whole.length > 1 && whole[0] === '-' && beginsWord(text, from + index)
    const word = isExcluded ? whole.slice(1) : whole
    if (/^site:./i.test(word)) clauses.push({ kind: 'site', text: parseSite(word.slice(5)), isExcluded })
    else clauses.push({ kind: 'word', text: word, isExcluded })
  }
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || SPACE.test(text[at - 1]!)
}
