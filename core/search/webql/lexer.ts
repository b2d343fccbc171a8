import { opensQuotation, quotationsIn } from '../query/quotations.ts'
import { syntaxError } from '../syntax-error.ts'

/** A token of the full query language. `at` and `end` are UTF-16 offsets in the query. */
export type Token = { at: number; end: number } & (
  | { kind: 'open' | 'close' | 'and' | 'or' | 'not' | 'end' }
  | { kind: 'near'; distance: number }
  | { kind: 'field'; name: string }
  | { kind: 'range'; from: string; to: string }
  | { kind: 'word' | 'phrase'; text: string }
)

/** Maximum distance of NEAR, in words. */
export const MAX_NEAR = 100

const BEFORE_NEGATED = /^!(?:[\p{L}\p{N}(.]|\p{Pi}|["„‚])/u
const SPACE = /\s/
const WORD_END = /[\s()"]/
/** Operators such as `title:`, and fields of pages such as `price:`, or `.title:` if an operator has the same name. */
const FIELD = /^\.?[\p{L}_][\p{L}\d_.-]*:/u
const RANGE = /^\[\s*(\S+)\s+TO\s+([^\s\]]+)\s*\]$/

/**
 * Splits a query into tokens; the last one is `end`.
 *
 * @throws ASOF_INVALID_QUERY - an unclosed quotation or range, or NEAR without a distance; `details.position` is the offset.
 */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = []
  const quotations = new Map(quotationsIn(query).map(({ start, end }) => [start, end]))
  for (let at = 0; at < query.length; ) {
    if (SPACE.test(query[at]!)) {
      at++
      continue
    }
    const token = tokenAt(query, at, tokens.at(-1), quotations)
    tokens.push(token)
    at = token.end
  }
  tokens.push({ kind: 'end', at: query.length, end: query.length })
  return tokens
}

/** @param quotations - the end of each quotation of the query, by its start. */
function tokenAt(query: string, at: number, before: Token | undefined, quotations: ReadonlyMap<number, number>): Token {
  const char = query[at]!
  if (char === '(') return { kind: 'open', at, end: at + 1 }
  if (char === ')') return { kind: 'close', at, end: at + 1 }
  const quotationEnd = quotations.get(at)
  if (quotationEnd !== undefined) return phraseAt(query, at, quotationEnd)
  if (opensQuotation(char)) throw syntaxError('this quotation mark has no closing mark', at)
  // A bracket opens a range only immediately after a field; elsewhere it is part of a word.
  const isValue = before?.kind === 'field' && before.end === at
  if (char === '[' && isValue) return rangeAt(query, at)
  let end = at + 1
  while (end < query.length && !WORD_END.test(query[end]!)) end++
  const word = query.slice(at, end)
  if (word === 'AND' || word === '&&') return { kind: 'and', at, end }
  if (word === 'OR' || word === '||') return { kind: 'or', at, end }
  if (word === 'NOT') return { kind: 'not', at, end }
  if (/^NEAR(?:\/|$)/.test(word)) return nearAt(word, at, end)
  if (char === '-' && !isValue && /^-[^\s)]/.test(query.slice(at, at + 2))) return { kind: 'not', at, end: at + 1 }
  // `!` excludes, as in Lucene. A lone or trailing mark is text.
  if (char === '!' && !isValue && BEFORE_NEGATED.test(query.slice(at, at + 3))) return { kind: 'not', at, end: at + 1 }
  const field = isValue ? undefined : FIELD.exec(word)?.[0]
  if (field !== undefined) return { kind: 'field', name: field.slice(0, -1), at, end: at + field.length }
  return { kind: 'word', text: word, at, end }
}

function phraseAt(query: string, at: number, end: number): Token {
  if (query[end] === '~' || query[end] === '*')
    throw syntaxError(
      `${query[end]} is not allowed after a phrase; use NEAR/5 between words to find them near each other`,
      end,
    )
  return { kind: 'phrase', text: query.slice(at + 1, end - 1), at, end }
}

function rangeAt(query: string, at: number): Token {
  const close = query.indexOf(']', at)
  if (close < 0) throw syntaxError('this range has no closing bracket: a range is written [a TO b]', at)
  const [, from, to] = RANGE.exec(query.slice(at, close + 1)) ?? []
  if (from === undefined || to === undefined)
    throw syntaxError('a range is written [a TO b]; a and b are each a value, a time, a delta such as 7d, or *', at)
  return { kind: 'range', from, to, at, end: close + 1 }
}

function nearAt(word: string, at: number, end: number): Token {
  const distance = Number(/^NEAR\/(\d{1,4})$/.exec(word)?.[1] ?? Number.NaN)
  if (!(distance >= 1 && distance <= MAX_NEAR))
    throw syntaxError(`NEAR needs a distance from 1 to ${MAX_NEAR} words, such as NEAR/5`, at)
  return { kind: 'near', distance, at, end }
}
