import type { ParsedCondition } from '../../../../core/fields/field-filter.ts'
import type { PageKind } from '../../../../core/index.ts'
import { inverseDocumentFrequency } from '../../../../core/search/topk/term-weights.ts'
import type { SyntaxNode, WordsNode } from '../../../../core/search/webql/parser.ts'
import { rankingModel } from '../../../../core/segment/ranking-model.ts'
import { detectLanguage } from '../../../../core/text/languages/language-detection.ts'
import { queryTerms as analyzed, type QueryTerm } from '../../../../core/text/terms/query-terms.ts'
import { stemTerm } from '../../../../core/text/terms/term-interner.ts'

/** A capture in plain data. */
export interface NaivePage {
  url: string
  title: string
  text: string
  author: string
  lang: string
  kind: PageKind
  /** Epoch ms; NaN if unknown. */
  publishedAt: number
  acquiredAt: number
  /** Values of the fields of the page, each of one type. */
  fields?: Readonly<Record<string, readonly string[] | readonly number[]>>
}

interface Token {
  term: string
  /** The word, folded. */
  word: string
  /** The stem of the word in the language of the page: a second term. */
  stem?: string
  position: number
}

interface Field {
  title: Token[]
  text: Token[]
  url: Token[]
  author: Token[]
}

const knownTerms = new Map<string, QueryTerm[]>()

function queryTerms(text: string): QueryTerm[] {
  const terms = knownTerms.get(text) ?? analyzed(text)
  knownTerms.set(text, terms)
  return terms
}

const known = new WeakMap<NaivePage, Field>()

/** The terms of a capture with their positions, made by the analyzer of the engine. */
function fieldsOf(page: NaivePage): Field {
  let fields = known.get(page)
  if (!fields) {
    const language = detectLanguage(page.title, page.text, page.lang)
    fields = {
      title: analyzed(page.title, language),
      text: analyzed(page.text, language),
      url: analyzed(decodeURIComponent(page.url.slice('https://'.length))),
      author: analyzed(page.author),
    }
    known.set(page, fields)
  }
  return fields
}

/** The runs of tokens that a field of the query searches. */
function stretches(page: NaivePage, field: string | undefined): Token[][] {
  const { title, text, url, author } = fieldsOf(page)
  return field === 'title' ? [title] : field === 'url' ? [url] : field === 'author' ? [author] : [title, text]
}

function isTerm(token: Token | undefined, term: string): boolean {
  return token?.term === term || token?.stem === term
}

interface Span {
  first: number
  last: number
}

/** The words of the tests that are forms of one word. Other words with the same stem are other words. */
const inflections = [
  ['river', 'rivers'],
  ['stone', 'stones'],
  ['run', 'running'],
  ['import', 'imports'],
]

function isTextField(field: string | undefined): boolean {
  return field === undefined || field === 'title'
}

/** The words that a query asks for in the text, or in one field. */
class Asked {
  readonly #words = new Set<string>()

  constructor(tree: SyntaxNode) {
    this.#gather(tree, true)
  }

  has(word: string, field: string | undefined): boolean {
    return this.#words.has(`${isTextField(field) ? '' : field} ${word}`)
  }

  #gather(node: SyntaxNode, isAsked: boolean): void {
    if ('parts' in node) for (const part of node.parts) this.#gather(part, isAsked)
    else if (node.kind === 'not') this.#gather(node.part, !isAsked)
    else if (node.kind === 'near') for (const part of [node.left, node.right]) this.#gather(part, isAsked)
    else if (node.kind === 'words' && isAsked)
      for (const { word } of queryTerms(node.text))
        this.#words.add(`${isTextField(node.field) ? '' : node.field} ${word}`)
  }
}

/**
 * True if a token matches a word of a phrase. A quoted word of a title or text must be written as in the query. A word inside NOT matches
 * its other forms too, except those that the query asks for.
 *
 * @param asked - set inside NOT.
 */
function isWord(
  token: Token | undefined,
  { term, word }: QueryTerm,
  { quoted, field }: WordsNode,
  asked: Asked | undefined,
): boolean {
  if (!/^\d*[a-z][a-z\d]*$/.test(word)) return isTerm(token, term)
  if (token?.term === term && token.word === word) return true
  if (quoted && isTextField(field)) return false
  if (!asked) return isTerm(token, term)
  const isForm = inflections.some(forms => forms.includes(word) && forms.includes(token?.word ?? ''))
  return isForm && !asked.has(token!.word, field)
}

function spansOf(tokens: readonly Token[], node: WordsNode, asked?: Asked): Span[] {
  const phrase = queryTerms(node.text)
  if (!tokens.some(token => isTerm(token, phrase[0]!.term))) return []
  const at = new Map(tokens.map(token => [token.position, token]))
  const offset = (i: number): number => phrase[i]!.position - phrase[0]!.position
  return tokens
    .filter(({ position }) => phrase.every((word, i) => isWord(at.get(position + offset(i)), word, node, asked)))
    .map(({ position }) => ({ first: position, last: position + offset(phrase.length - 1) }))
}

/** The textbook edit distance: a full matrix of optimal string alignment. */
export function distance(a: string, b: string): number {
  const d = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j))
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      d[i]![j] = Math.min(d[i - 1]![j]! + 1, d[i]![j - 1]! + 1, d[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        d[i]![j] = Math.min(d[i]![j]!, d[i - 2]![j - 2]! + 1)
    }
  return d[a.length]![b.length]!
}

const distances = new Map<string, number>()

/** Returns how many edits a `word~` allows. @param given - the number after `~`. Default: by the length of the word. */
function editsOf(given: number | undefined, word: string): number {
  return given ?? (word.length <= 2 ? 0 : word.length <= 7 ? 1 : 2)
}

/** The distance of two terms, which captures ask for again and again. */
function knownDistance(a: string, b: string): number {
  const pair = `${a} ${b}`
  const between = distances.get(pair) ?? distance(a, b)
  distances.set(pair, between)
  return between
}

type PatternNode = Extract<SyntaxNode, { kind: 'prefix' | 'fuzzy' }>

function matchesPattern(node: PatternNode, term: string): boolean {
  const { word, term: stem } = queryTerms(node.text)[0]!
  if (node.kind === 'prefix') return term.startsWith(word) || term === stemTerm(word)
  const edits = editsOf(node.distance, word)
  return term[0] === stem[0] && knownDistance(term, stem) <= edits
}

/** True if the prefix or fuzzy word consists of several terms; then it is a phrase. */
function isPhrase(node: PatternNode): boolean {
  return queryTerms(node.text).length > 1
}

function holdsPattern(page: NaivePage, node: PatternNode): boolean {
  if (isPhrase(node)) {
    const phrase: WordsNode = { ...node, kind: 'words', quoted: true }
    return stretches(page, node.field).some(tokens => spansOf(tokens, phrase).length > 0)
  }
  return stretches(page, node.field).some(tokens =>
    tokens.some(({ term, stem }) => matchesPattern(node, term) || (stem !== undefined && matchesPattern(node, stem))),
  )
}

function holdsValue(page: NaivePage, { field, text }: WordsNode): boolean {
  if (field === 'type') return page.kind === text
  if (field === 'lang') {
    const languages = [page.lang, detectLanguage(page.title, page.text, page.lang)]
    return languages.some(language => `${language.toLowerCase()}-`.startsWith(`${text.toLowerCase()}-`))
  }
  return `.${new URL(page.url).hostname}`.endsWith(`.${text}`)
}

function isWithin(at: number, from: string, to: string): boolean {
  return at >= (from === '*' ? -Infinity : Date.parse(from)) && at <= (to === '*' ? Infinity : Date.parse(to))
}

function fulfills(value: string | number, condition: ParsedCondition): boolean {
  const read = (text: unknown): string | number => (typeof value === 'number' ? Number(text) : String(text))
  switch (condition.kind) {
    case 'exists':
      return true
    case 'prefix':
      return String(value).startsWith(condition.prefix.value)
    case 'values':
      return condition.values.some(one => read(one.value) === value)
    case 'range':
      return condition.bounds.every(bound => {
        const end = read(bound.value)
        if (value === end) return bound.name === 'gte' || bound.name === 'lte'
        return bound.name.startsWith('g') ? value > end : value < end
      })
  }
}

/** True if a capture matches a tree. Ranges are timestamps or `*`. */
export function holds(page: NaivePage, tree: SyntaxNode): boolean {
  return holdsPart(page, tree, new Asked(tree), false)
}

/** @param isExcluded - true inside NOT. */
function holdsPart(page: NaivePage, node: SyntaxNode, asked: Asked, isExcluded: boolean): boolean {
  const spans = (tokens: readonly Token[], words: WordsNode): Span[] =>
    spansOf(tokens, words, isExcluded ? asked : undefined)
  switch (node.kind) {
    case 'and':
      return node.parts.every(part => holdsPart(page, part, asked, isExcluded))
    case 'or':
      return node.parts.some(part => holdsPart(page, part, asked, isExcluded))
    case 'not':
      return !holdsPart(page, node.part, asked, !isExcluded)
    case 'words':
      if (node.field === 'site' || node.field === 'lang' || node.field === 'type') return holdsValue(page, node)
      return stretches(page, node.field).some(tokens => spans(tokens, node).length > 0)
    case 'near':
      return stretches(page, node.left.field).some(tokens => {
        const right = spans(tokens, node.right)
        const isNear = (a: Span, b: Span): boolean => b.first > a.last && b.first - a.last <= node.distance
        return spans(tokens, node.left).some(a => right.some(b => isNear(a, b) || isNear(b, a)))
      })
    case 'prefix':
    case 'fuzzy':
      return holdsPattern(page, node)
    case 'range':
      return isWithin(node.field === 'published' ? page.publishedAt : page.acquiredAt, node.from, node.to)
    case 'field':
      return (page.fields?.[node.condition.field] ?? []).some((value: string | number) =>
        fulfills(value, node.condition),
      )
  }
}

interface Positive {
  plain: { term: string; functionWord: boolean }[]
  meant: { term: string }[]
  patterns: Map<string, PatternNode>
}

function gather(node: SyntaxNode, isAsked: boolean, into: Positive): void {
  if ('parts' in node) for (const part of node.parts) gather(part, isAsked, into)
  else if (node.kind === 'not') gather(node.part, !isAsked, into)
  else if (node.kind === 'near') for (const part of [node.left, node.right]) gather(part, isAsked, into)
  else if (
    node.kind !== 'range' &&
    node.kind !== 'field' &&
    isAsked &&
    (node.field === undefined || node.field === 'title')
  ) {
    const terms = queryTerms(node.text)
    if (node.kind === 'words') (node.quoted ? into.meant : into.plain).push(...terms)
    else if (isPhrase(node)) into.meant.push(...terms)
    else {
      const text = terms[0]!.word
      if (node.kind === 'fuzzy') into.meant.push(...terms)
      // `river~1` and `river~` are one pattern.
      const distance = node.kind === 'fuzzy' ? editsOf(node.distance, text) : undefined
      into.patterns.set([node.kind, node.field, text, distance].join(' '), node)
    }
  }
}

/**
 * BM25F in plain floating point, as described in `docs/search-and-ranking.md`, over the captures that stood at the instant.
 */
export function scoreOf(page: NaivePage, query: SyntaxNode, standing: readonly NaivePage[]): number {
  const positive: Positive = { plain: [], meant: [], patterns: new Map() }
  gather(query, true, positive)
  const content = [...positive.plain.filter(({ functionWord }) => !functionWord), ...positive.meant]
  const asked = content.length > 0 ? content : positive.plain
  const length = (one: NaivePage): number =>
    fieldsOf(one).text.length + rankingModel.titleWeight * fieldsOf(one).title.length
  const average = standing.reduce((sum, one) => sum + length(one), 0) / standing.length
  const norm = rankingModel.k1 * (1 - rankingModel.b + (rankingModel.b * length(page)) / average)
  const count = (one: NaivePage, term: string): number => {
    const of = (tokens: Token[]): number => tokens.filter(token => isTerm(token, term)).length
    return of(fieldsOf(one).text) + rankingModel.titleWeight * of(fieldsOf(one).title)
  }
  let score = 0
  for (const { term } of asked) {
    const frequency = count(page, term)
    if (frequency === 0) continue
    const holding = standing.filter(one => count(one, term) > 0).length
    score += (inverseDocumentFrequency(standing.length, holding) * frequency) / (frequency + norm)
  }
  for (const node of positive.patterns.values()) {
    if (!holdsPattern(page, node)) continue
    const holding = standing.filter(one => holdsPattern(one, node)).length
    score += inverseDocumentFrequency(standing.length, holding) / 3
  }
  return score
}
