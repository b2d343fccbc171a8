import { isFieldName } from '@asof/extract/page'
import type { ParsedCondition } from '../../fields/field-filter.ts'
import { checkQueryText } from '../query/query-text.ts'
import { syntaxError } from '../syntax-error.ts'
import { isComparison, rangeOfField, readEnds, readFieldValue, valueOfField } from './field-value.ts'
import { type Token, tokensOf } from './lexer.ts'

/** The fields that words can be searched in. Without a field, words are searched in title and text. */
export const fields = ['title', 'url', 'site', 'lang', 'author', 'type'] as const
export type SearchField = (typeof fields)[number]
export const rangeFields = ['published', 'acquired'] as const
export type RangeField = (typeof rangeFields)[number]
/** Names that other engines have for fields. A field of pages with such a name is written with a dot. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['intitle', 'title'],
  ['inurl', 'url'],
])
/** Operators of other engines for the time of publication. */
const publishedEnds: ReadonlyMap<string, '>=' | '<'> = new Map([
  ['after', '>='],
  ['before', '<'],
])

/** A field of pages. The dot tells it from a {@link SearchField}. */
type PageField = `.${string}`
/** The field that the words in a parenthesis belong to. */
type Scope = SearchField | PageField | undefined

/** A word or phrase as written in the query, not analyzed yet. `at` is a UTF-16 offset in the query. */
export interface WordsNode {
  kind: 'words'
  field?: SearchField
  text: string
  quoted: boolean
  at: number
}

/** The syntax tree of a query in the full language. Plain data, so that it can be sent to a search thread. */
export type SyntaxNode =
  | WordsNode
  | { kind: 'and' | 'or'; parts: SyntaxNode[] }
  | { kind: 'not'; part: SyntaxNode }
  | { kind: 'near'; left: WordsNode; right: WordsNode; distance: number }
  | { kind: 'prefix'; field?: SearchField; text: string; at: number }
  | { kind: 'fuzzy'; field?: SearchField; text: string; distance?: 1 | 2; at: number }
  /** `*` leaves an end open. Both ends are included, or excluded if `isOpen` is true. */
  | { kind: 'range'; field: RangeField; from: string; to: string; isOpen?: true; at: number }
  /** A condition on a field of pages. Its values are texts, because the type of the field is not known yet. */
  | { kind: 'field'; condition: ParsedCondition; at: number }

/** Maximum nesting depth of parentheses and NOTs. */
export const MAX_QUERY_DEPTH = 64
/** Maximum number of words, phrases, patterns and ranges in a query. */
export const MAX_CLAUSES = 256

/**
 * Parses a query in the full language. NOT binds tighter than AND, and AND tighter than OR; operands without an operator
 * between them are joined by AND.
 *
 * @throws ASOF_INVALID_QUERY - empty or too long; or a syntax error, with its UTF-16 offset in `details.position`.
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
    if (kind === 'close') throw syntaxError('this parenthesis has no opening parenthesis', at)
    return node
  }

  get #token(): Token {
    return this.#tokens[this.#next]!
  }

  #or(field: Scope): SyntaxNode {
    const parts = [this.#and(field)]
    while (this.#token.kind === 'or') {
      this.#next++
      parts.push(this.#and(field))
    }
    return parts.length === 1 ? parts[0]! : { kind: 'or', parts }
  }

  #and(field: Scope): SyntaxNode {
    const parts = [this.#not(field)]
    for (;;) {
      const { kind } = this.#token
      if (kind === 'end' || kind === 'close' || kind === 'or') break
      if (kind === 'and') this.#next++
      parts.push(this.#not(field))
    }
    return parts.length === 1 ? parts[0]! : { kind: 'and', parts }
  }

  #not(field: Scope): SyntaxNode {
    const { kind, at } = this.#token
    if (kind !== 'not') return this.#near(field)
    this.#next++
    return { kind: 'not', part: this.#deeper(at, () => this.#not(field)) }
  }

  #near(field: Scope): SyntaxNode {
    const leftAt = this.#token.at
    const left = this.#primary(field)
    const near = this.#token
    if (near.kind !== 'near') return left
    this.#next++
    const rightAt = this.#token.at
    const right = this.#primary(field)
    if (left.kind !== 'words') throw syntaxError('NEAR needs a word or a phrase on each side', leftAt)
    if (right.kind !== 'words') throw syntaxError('NEAR needs a word or a phrase on each side', rightAt)
    if (left.field !== right.field)
      throw syntaxError(
        `both sides of NEAR must be in the same field, as in title:(a NEAR/${near.distance} b)`,
        near.at,
      )
    if (this.#token.kind === 'near')
      throw syntaxError('NEAR cannot be chained; write a NEAR/5 b AND b NEAR/5 c', this.#token.at)
    return { kind: 'near', left, right, distance: near.distance }
  }

  #primary(field: Scope): SyntaxNode {
    const token = this.#token
    switch (token.kind) {
      case 'open': {
        this.#next++
        const node = this.#deeper(token.at, () => this.#or(field))
        if (this.#token.kind !== 'close') throw syntaxError('this parenthesis has no closing parenthesis', token.at)
        this.#next++
        return node
      }
      case 'field':
        return this.#ofField(token.name, token, field)
      case 'word':
      case 'phrase':
        this.#next++
        this.#count(token.at)
        if (isPageField(field)) return this.#fieldValue(field.slice(1), token)
        return token.kind === 'phrase'
          ? { kind: 'words', field, text: token.text, quoted: true, at: token.at }
          : wordNode(token.text, token.at, field)
      default:
        throw syntaxError(`expected a word, a phrase or a parenthesis, found ${nameOf(token)}`, token.at)
    }
  }

  #ofField(name: string, { at, end }: Token, outer: Scope): SyntaxNode {
    const lower = name.toLowerCase()
    const operator = synonyms.get(lower) ?? lower
    const sign = publishedEnds.get(operator)
    const searched = fields.find(known => known === operator)
    const ranged = sign ? 'published' : rangeFields.find(known => known === operator)
    const ofPage = name.startsWith('.') ? name.slice(1) : name
    // An address such as `https://…` is not a condition on a field named `https`.
    const isAddress = this.#text(1).startsWith('//')
    if (!searched && !ranged && (!isFieldName(ofPage) || isAddress))
      throw syntaxError(
        `unknown field ${name}; the fields are ${[...fields, ...rangeFields].join(', ')}. Put text that contains a colon in quotes`,
        at,
      )
    if (outer) throw syntaxError(`a field is not allowed inside ${isPageField(outer) ? outer.slice(1) : outer}:`, at)
    this.#next++
    const value = this.#token
    if (value.at !== end || value.kind === 'end' || value.kind === 'close')
      throw syntaxError(`the value of ${name}: must follow the colon immediately`, end)
    if (ranged)
      return this.#range(ranged, sign && value.kind === 'word' ? { ...value, text: sign + value.text } : value)
    if (value.kind === 'range') {
      if (searched)
        throw syntaxError(`a range is only allowed in ${rangeFields.join(', ')} and fields of pages`, value.at)
      this.#next++
      this.#count(value.at)
      return { kind: 'field', condition: rangeOfField(ofPage, endsOf(value), value.at), at: value.at }
    }
    const isValue = value.kind === 'open' || value.kind === 'word' || value.kind === 'phrase'
    if (!isValue || (searched && this.#text(0).startsWith('-')))
      throw syntaxError(`the value of ${name}: must be a word, a phrase or a parenthesis`, value.at)
    return this.#primary(searched ?? `.${ofPage}`)
  }

  /** Reads a value of a field, whose token has been consumed. Inside a quoted value no sign has a meaning, but a comparison may precede it. */
  #fieldValue(name: string, { kind, text, at, end }: Token & { kind: 'word' | 'phrase' }): SyntaxNode {
    if (kind === 'phrase') return { kind: 'field', condition: valueOfField(name, text, at), at }
    const next = this.#token
    const isSplit = isComparison(text) && next.kind === 'phrase' && next.at === end
    if (isSplit) this.#next++
    return { kind: 'field', condition: readFieldValue(name, isSplit ? text + next.text : text, at), at }
  }

  #range(field: RangeField, value: Token): SyntaxNode {
    this.#next++
    this.#count(value.at)
    const { at } = value
    if (value.kind === 'range') return { kind: 'range', field, from: value.from, to: value.to, at }
    if (value.kind !== 'word') throw syntaxError(`the value of ${field}: must be a date or a range [a TO b]`, at)
    // A single date is a range of one day.
    const ends = readEnds(value.text, at)
    if (!ends) return { kind: 'range', field, from: value.text, to: value.text, at }
    const { gt, lt, gte = gt ?? '*', lte = lt ?? '*' } = ends
    const isOpen = (gt ?? lt) === undefined ? undefined : true
    return { kind: 'range', field, from: gte, to: lte, isOpen, at }
  }

  /** The text of the word that is this number of tokens ahead; '' if the token is no word. */
  #text(ahead: number): string {
    const token = this.#tokens[this.#next + ahead]
    return token?.kind === 'word' ? token.text : ''
  }

  #deeper(at: number, read: () => SyntaxNode): SyntaxNode {
    if (++this.#depth > MAX_QUERY_DEPTH)
      throw syntaxError(`the query is nested deeper than ${MAX_QUERY_DEPTH} levels`, at)
    const node = read()
    this.#depth--
    return node
  }

  #count(at: number): void {
    if (++this.#clauses > MAX_CLAUSES)
      throw syntaxError(`the query contains more than ${MAX_CLAUSES} words and phrases`, at)
  }
}

function isPageField(field: Scope): field is PageField {
  return field?.startsWith('.') === true
}

function endsOf({ from, to }: { from: string; to: string }): { gte?: string; lte?: string } {
  return { gte: from === '*' ? undefined : from, lte: to === '*' ? undefined : to }
}

function wordNode(text: string, at: number, field: SearchField | undefined): SyntaxNode {
  const star = text.indexOf('*')
  if (star >= 0) {
    if (star < text.length - 1) throw syntaxError('* is only allowed at the end of a word', at + star)
    return { kind: 'prefix', field, text: text.slice(0, -1), at }
  }
  const fuzzy = /~(\d*)$/.exec(text)
  if (!fuzzy) return { kind: 'words', field, text, quoted: false, at }
  const [, digits = ''] = fuzzy
  if (!['', '1', '2'].includes(digits))
    throw syntaxError('the number after ~ must be 1 or 2: the edits that a word may differ by', at + fuzzy.index)
  const distance = digits === '1' ? 1 : digits === '2' ? 2 : undefined
  return { kind: 'fuzzy', field, text: text.slice(0, fuzzy.index), distance, at }
}

function nameOf(token: Token): string {
  if (token.kind === 'end') return 'the end'
  if (token.kind === 'close') return 'a closing parenthesis'
  if (token.kind === 'range') return 'a range'
  return token.kind.toUpperCase()
}
