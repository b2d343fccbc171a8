import { AsofError } from '../../errors.ts'
import { opensQuotation, quotationsIn } from '../query/quotations.ts'

/** A piece of a query in the full language. `at` and `end` are UTF-16 offsets in it. */
export type Token = { at: number; end: number } & (
  | { kind: 'open' | 'close' | 'and' | 'or' | 'not' | 'end' }
  | { kind: 'near'; distance: number }
  | { kind: 'field'; name: string }
  | { kind: 'range'; from: string; to: string }
  | { kind: 'word' | 'phrase'; text: string }
)

/** NEAR takes distances up to this many words. */
export const MAX_NEAR = 100

const SPACE = /\s/
const WORD_END = /[\s()"]/
const FIELD = /^\p{L}[\p{L}_]*:/u
const RANGE = /^\[\s*(\S+)\s+TO\s+([^\s\]]+)\s*\]$/

/** @param at - UTF-16 offset of what can't be read. */
export function syntaxError(message: string, at: number): AsofError {
  return new AsofError('ASOF_INVALID_QUERY', `query: ${message} (at position ${at})`, {
    details: { field: 'query', position: at },
  })
}

/**
 * Takes a query apart; the last token is `end`.
 *
 * @throws ASOF_INVALID_QUERY - a quotation or range that is not closed, a NEAR without a distance; `details.position` says where.
 */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = []
  const quotations = new Map(quotationsIn(query).map(({ start, end }) => [start, end]))
  for (let at = 0; at < query.length; ) {
    if (SPACE.test(query[at])) {
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

/** @param quotations - of the query, the end of each by its start. */
function tokenAt(query: string, at: number, before: Token | undefined, quotations: ReadonlyMap<number, number>): Token {
  const char = query[at]
  if (char === '(') return { kind: 'open', at, end: at + 1 }
  if (char === ')') return { kind: 'close', at, end: at + 1 }
  const quotationEnd = quotations.get(at)
  if (quotationEnd !== undefined) return phraseAt(query, at, quotationEnd)
  if (opensQuotation(char)) throw syntaxError('this quotation mark is never closed', at)
  // Only right behind a field: elsewhere it is a character like others.
  if (char === '[' && before?.kind === 'field' && before.end === at) return rangeAt(query, at)
  let end = at + 1
  while (end < query.length && !WORD_END.test(query[end])) end++
  const word = query.slice(at, end)
  if (word === 'AND') return { kind: 'and', at, end }
  if (word === 'OR') return { kind: 'or', at, end }
  if (word === 'NOT') return { kind: 'not', at, end }
  if (/^NEAR(?:\/|$)/.test(word)) return nearAt(word, at, end)
  if (char === '-' && /^-[^\s)]/.test(query.slice(at, at + 2))) return { kind: 'not', at, end: at + 1 }
  const field = before?.kind === 'field' && before.end === at ? undefined : FIELD.exec(word)?.[0]
  if (field !== undefined) return { kind: 'field', name: field.slice(0, -1).toLowerCase(), at, end: at + field.length }
  return { kind: 'word', text: word, at, end }
}

function phraseAt(query: string, at: number, end: number): Token {
  if (query[end] === '~' || query[end] === '*')
    throw syntaxError(`a phrase takes no ${query[end]}; NEAR/5 between words finds them near each other`, end)
  return { kind: 'phrase', text: query.slice(at + 1, end - 1), at, end }
}

function rangeAt(query: string, at: number): Token {
  const close = query.indexOf(']', at)
  if (close < 0) throw syntaxError('this range is never closed: it takes [a TO b]', at)
  const match = RANGE.exec(query.slice(at, close + 1))
  if (!match) throw syntaxError('a range takes [a TO b], each a date, a timestamp, a delta such as 7d, or *', at)
  return { kind: 'range', from: match[1], to: match[2], at, end: close + 1 }
}

function nearAt(word: string, at: number, end: number): Token {
  const distance = Number(/^NEAR\/(\d{1,4})$/.exec(word)?.[1] ?? Number.NaN)
  if (!(distance >= 1 && distance <= MAX_NEAR))
    throw syntaxError(`NEAR takes a distance from 1 to ${MAX_NEAR} words, such as NEAR/5`, at)
  return { kind: 'near', distance, at, end }
}
