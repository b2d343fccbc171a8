import { checkQueryText } from '../query/query-clauses.ts'
import { syntaxError, type Token, tokensOf } from './lexer.ts'

/** What text can be searched in; without a field it is title and text together. */
export const fields = ['title', 'url', 'site', 'lang', 'author', 'type'] as const
export type SearchField = (typeof fields)[number]
export const rangeFields = ['published', 'acquired'] as const
export type RangeField = (typeof rangeFields)[number]

/** Words as the query has them, not analysed yet. `at` is a UTF-16 offset in the query. */
export interface WordsNode {
  kind: 'words'
  field?: SearchField
  text: string
  quoted: boolean
  at: number
}

/** The syntax tree of a query in the full language. */
export type SyntaxNode =
  | WordsNode
  | { kind: 'and' | 'or'; parts: SyntaxNode[] }
  | { kind: 'not'; part: SyntaxNode }
  | { kind: 'near'; left: WordsNode; right: WordsNode; distance: number }
  | { kind: 'prefix'; field?: SearchField; text: string; at: number }
  | { kind: 'fuzzy'; field?: SearchField; text: string; distance?: 1 | 2; at: number }
  | { kind: 'range'; field: RangeField; from: string; to: string; at: number }

/** Parentheses and NOTs within each other. */
export const MAX_DEPTH = 64
/** Words, phrases, patterns and ranges of a query. */
export const MAX_CLAUSES = 256

/**
 * Reads a query in the full language: NOT binds tighter than AND, AND tighter than OR, and what stands side by side is
 * joined by AND.
 *
 * @throws ASOF_INVALID_QUERY - `details.position` is the UTF-16 offset of what can't be read.
 */
export function parseWebql(query: string): SyntaxNode {
  checkQueryText(query)
  const parser = new Parser(tokensOf(query))
  return parser.whole()
}

class Parser {
  readonly #tokens: readonly Token[]
  #next = 0
  #depth = 0
  #clauses = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  whole(): SyntaxNode {
    const node = this.#or(undefined)
    const { kind, at } = this.#token
    if (kind === 'close') throw syntaxError('this parenthesis was never opened', at)
    return node
  }

  get #token(): Token {
    return this.#tokens[this.#next]
  }

  #or(field: SearchField | undefined): SyntaxNode {
    const parts = [this.#and(field)]
    while (this.#token.kind === 'or') {
      this.#next++
      parts.push(this.#and(field))
    }
    return parts.length === 1 ? parts[0] : { kind: 'or', parts }
  }

  #and(field: SearchField | undefined): SyntaxNode {
    const parts = [this.#not(field)]
    for (;;) {
      const { kind } = this.#token
      if (kind === 'end' || kind === 'close' || kind === 'or') break
      if (kind === 'and') this.#next++
      parts.push(this.#not(field))
    }
    return parts.length === 1 ? parts[0] : { kind: 'and', parts }
  }

  #not(field: SearchField | undefined): SyntaxNode {
    const { kind, at } = this.#token
    if (kind !== 'not') return this.#near(field)
    this.#next++
    return { kind: 'not', part: this.#deeper(at, () => this.#not(field)) }
  }

  #near(field: SearchField | undefined): SyntaxNode {
    const leftAt = this.#token.at
    const left = this.#primary(field)
    const near = this.#token
    if (near.kind !== 'near') return left
    this.#next++
    const rightAt = this.#token.at
    const right = this.#primary(field)
    if (left.kind !== 'words') throw syntaxError('NEAR takes a word or a phrase on either side', leftAt)
    if (right.kind !== 'words') throw syntaxError('NEAR takes a word or a phrase on either side', rightAt)
    if (left.field !== right.field)
      throw syntaxError(`NEAR takes words of one field, as in title:(a NEAR/${near.distance} b)`, near.at)
    if (this.#token.kind === 'near')
      throw syntaxError('NEAR takes two words; write a NEAR/5 b AND b NEAR/5 c', this.#token.at)
    return { kind: 'near', left, right, distance: near.distance }
  }

  #primary(field: SearchField | undefined): SyntaxNode {
    const token = this.#token
    switch (token.kind) {
      case 'open': {
        this.#next++
        const node = this.#deeper(token.at, () => this.#or(field))
        if (this.#token.kind !== 'close') throw syntaxError('this parenthesis is never closed', token.at)
        this.#next++
        return node
      }
      case 'field':
        return this.#ofField(token.name, token, field)
      case 'word':
      case 'phrase':
        this.#next++
        this.#count(token.at)
        return token.kind === 'phrase'
          ? { kind: 'words', ...(field && { field }), text: token.text, quoted: true, at: token.at }
          : wordNode(token.text, token.at, field)
      default:
        throw syntaxError(`expected a word, a phrase or a parenthesis, found ${nameOf(token)}`, token.at)
    }
  }

  #ofField(name: string, { at, end }: Token, outer: SearchField | undefined): SyntaxNode {
    const searched = fields.find(known => known === name)
    const ranged = rangeFields.find(known => known === name)
    if (!searched && !ranged)
      throw syntaxError(
        `there is no field ${name}; there are ${[...fields, ...rangeFields].join(', ')}. Quote what has a colon in it`,
        at,
      )
    if (outer) throw syntaxError(`a field can't stand within ${outer}:`, at)
    this.#next++
    const value = this.#token
    if (value.at !== end || value.kind === 'end' || value.kind === 'close')
      throw syntaxError(`${name}: takes its value right behind the colon`, end)
    if (ranged) return this.#range(ranged, value)
    if (value.kind === 'range') throw syntaxError(`only ${rangeFields.join(' and ')} take a range`, value.at)
    if (value.kind !== 'open' && value.kind !== 'word' && value.kind !== 'phrase')
      throw syntaxError(`${name}: takes a word, a phrase or a parenthesis`, value.at)
    return this.#primary(searched)
  }

  #range(field: RangeField, value: Token): SyntaxNode {
    this.#next++
    this.#count(value.at)
    if (value.kind === 'range') return { kind: 'range', field, from: value.from, to: value.to, at: value.at }
    // A single date is its day.
    if (value.kind === 'word') return { kind: 'range', field, from: value.text, to: value.text, at: value.at }
    throw syntaxError(`${field}: takes a date or a range [a TO b]`, value.at)
  }

  #deeper(at: number, read: () => SyntaxNode): SyntaxNode {
    if (++this.#depth > MAX_DEPTH) throw syntaxError(`the query nests deeper than ${MAX_DEPTH}`, at)
    const node = read()
    this.#depth--
    return node
  }

  #count(at: number): void {
    if (++this.#clauses > MAX_CLAUSES) throw syntaxError(`the query has over ${MAX_CLAUSES} words and phrases`, at)
  }
}

function wordNode(text: string, at: number, field: SearchField | undefined): SyntaxNode {
  const star = text.indexOf('*')
  if (star >= 0) {
    if (star < text.length - 1) throw syntaxError('* stands only at the end of a word', at + star)
    return { kind: 'prefix', ...(field && { field }), text: text.slice(0, -1), at }
  }
  const fuzzy = /~(\d*)$/.exec(text)
  if (!fuzzy) return { kind: 'words', ...(field && { field }), text, quoted: false, at }
  const [, digits] = fuzzy
  if (!['', '1', '2'].includes(digits)) throw syntaxError('a word~ may differ by 1 or 2 letters', at + fuzzy.index)
  const distance = digits === '1' ? 1 : digits === '2' ? 2 : undefined
  return { kind: 'fuzzy', ...(field && { field }), text: text.slice(0, fuzzy.index), ...(distance && { distance }), at }
}

function nameOf(token: Token): string {
  if (token.kind === 'end') return 'the end'
  if (token.kind === 'close') return 'a closing parenthesis'
  if (token.kind === 'range') return 'a range'
  return token.kind.toUpperCase()
}
