import { isDeepStrictEqual } from 'node:util'
import { type AsofError, isAsofError, shown } from '@asof/extract/errors'
import { fieldKinds } from '@asof/extract/field-kinds'
import { pageKinds } from '@asof/extract/page'
import { deltaOrigin, filterForms, filterSpan, resolveTimes, type TimeWindow } from '../../dates/resolve-times.ts'
import type { TimeInput } from '../../page.ts'
import { languageOfTag } from '../../text/languages/language-detection.ts'
import { hostTerm } from '../../text/terms/host-term.ts'
import { languageRanges, propertyPrefix, propertyTerm } from '../../text/terms/property-term.ts'
import { type QueryTerm, queryTerms } from '../../text/terms/query-terms.ts'
import { stemTerm } from '../../text/terms/term-interner.ts'
import { MAX_BEGINNING_UNITS } from '../../text/terms/word-term.ts'
import type { Condition } from '../conditions/condition.ts'
import type { TermPattern } from '../conditions/term-pattern.ts'
import type { FiltersAsOf } from '../fields/filter-as-of.ts'
import { inField, phraseInField } from '../fields/words-in-texts.ts'
import {
  type FavoredPhrase,
  inflectedForms,
  type Phrase,
  phraseForms,
  type ScoringTerm,
  scoringTerms,
  writtenForms,
} from '../query/scoring-terms.ts'
import { readSiteValue, type SiteValue } from '../query/site-value.ts'
import { syntaxError } from '../syntax-error.ts'
import type { SearchField, SyntaxNode, WordsNode } from '../webql/parser.ts'
import { AskedWords, type Searched, searchedBy } from './asked-words.ts'

/** An analyzed query in the full language. Plain data, so that it can be sent to a search thread. */
export interface AnalyzedWebql {
  condition: Condition
  /** The terms of its words, except those inside NOT. Each adds to the score of the matches that contain it. */
  terms: ScoringTerm[]
  patterns: TermPattern[]
  /**
   * True if the types of the fields in the query were not known. Then its conditions on fields match nothing, and the query must be analyzed
   * again.
   */
  lacksTypes?: boolean
  /** Phrases that score in addition. Only a query that somebody is still typing has any. */
  alternatives?: FavoredPhrase[]
}

/** Minimum number of letters of a prefix, unless it is in a script without spaces. */
const MIN_PREFIX = 2
/** Maximum number of `prefix*` and `fuzzy~` in one query: each scans a part of the dictionary. */
const MAX_PATTERNS = 8
/**
 * Without a number, `~` allows no edits for words of up to 2 letters, one edit for words of up to 7 letters, and two for
 * longer ones.
 */
const EXACT_LETTERS = 2
const ONE_EDIT_LETTERS = 7

/** The origin of relative times in ranges: the time of the request, and its `queryTime`. */
export interface RangeOrigin {
  /** Epoch ms. */
  requestedAt: number
  queryTime?: TimeInput | null | undefined
  /** True if ranges accept the unit `w`. Default false. */
  weeksInFilters?: boolean
}

export interface AnalyzeOptions {
  /** Language of the words, ISO 639-1; ignored if the query restricts the language of pages by `lang:`. Default: unknown. */
  language?: string
  /** Gives conditions on fields their types. Default: the types are not known. */
  filters?: FiltersAsOf
  /** Words outside of the tree that the query asks for. Default: no words. */
  asked?: readonly QueryTerm[]
}

/**
 * Turns the syntax tree of a query in the full language into terms and conditions of the index.
 *
 * @throws ASOF_INVALID_QUERY - `details.position` is the UTF-16 offset of the error.
 */
export function analyzeWebql(
  tree: SyntaxNode,
  origin: RangeOrigin,
  { language = '', filters, asked = [] }: AnalyzeOptions = {},
): AnalyzedWebql {
  const spoken = restrictedLanguage(tree) ?? language
  const words = new AskedWords(tree, (text, searched) => termsIn(searched, text, spoken), asked)
  const analyzer = new WebqlAnalyzer(origin, spoken, words, filters)
  const condition = analyzer.condition(tree, true)
  return {
    lacksTypes: analyzer.lacksTypes,
    condition,
    terms: scoringTerms([analyzer.plain, analyzer.quoted]),
    patterns: analyzer.patterns,
  }
}

/**
 * The domain of a query that is nothing but one `site:` without a path; `undefined` for any other query.
 *
 * @throws ASOF_INVALID_QUERY - the value is not a domain.
 */
export function onlySiteOf(tree: SyntaxNode): string | undefined {
  if (tree.kind !== 'words' || tree.field !== 'site') return undefined
  const { site, address } = siteOf(tree)
  return address === undefined ? site : undefined
}

class WebqlAnalyzer {
  /** Terms of unquoted words that score. */
  readonly plain: QueryTerm[] = []
  /** Terms that score even if they are function words: those of phrases and of fuzzy words. */
  readonly quoted: QueryTerm[] = []
  readonly patterns: TermPattern[] = []
  lacksTypes = false
  readonly #origin: RangeOrigin
  readonly #language: string
  readonly #asked: AskedWords
  readonly #filters: FiltersAsOf | undefined

  constructor(origin: RangeOrigin, language: string, asked: AskedWords, filters: FiltersAsOf | undefined) {
    this.#origin = origin
    this.#language = language
    this.#asked = asked
    this.#filters = filters
  }

  /** @param isScored - false within NOT. */
  condition(node: SyntaxNode, isScored: boolean): Condition {
    switch (node.kind) {
      case 'and':
      case 'or':
        return {
          kind: node.kind === 'and' ? 'all' : 'any',
          parts: node.parts.map(part => this.condition(part, isScored)),
        }
      case 'not':
        return { kind: 'not', part: this.condition(node.part, !isScored) }
      case 'words':
        return this.#words(node, isScored)
      case 'near': {
        if (!isWordField(node.left.field)) throw syntaxError(`NEAR is not allowed in ${node.left.field}:`, node.left.at)
        const [lefts, rights] = [this.#phrase(node.left, isScored), this.#phrase(node.right, isScored)]
        const title = node.left.field === 'title'
        return anyCondition(
          lefts.flatMap(left =>
            rights.map((right): Condition => ({ kind: 'near', left, right, distance: node.distance, title })),
          ),
        )
      }
      case 'prefix':
      case 'fuzzy':
        return this.#pattern(node, isScored)
      case 'range':
        return { kind: node.field, window: windowOf(node, this.#origin) }
      case 'field':
        return this.#field(node, isScored)
    }
  }

  #field({ condition, at }: Extract<SyntaxNode, { kind: 'field' }>, isScored: boolean): Condition {
    if (!this.#filters) {
      this.lacksTypes = true
      return { kind: 'any', parts: [] }
    }
    const { kind, field, path } = condition
    const type = kind === 'values' ? this.#filters.typeInQuery(field, path) : undefined
    if (kind === 'values' && type !== undefined && fieldKinds[type].indexedText)
      return this.#inTexts(
        field,
        condition.values.map(({ value }) => String(value)),
        at,
        isScored,
      )
    try {
      return { kind: 'fields', filter: this.#filters.ofQuery(condition) }
    } catch (error) {
      if (isAsofError(error, 'ASOF_INVALID_OPTION')) throw withPosition(error, at)
      throw error
    }
  }

  /** Returns the condition that a field with texts contains at least one of several phrases. */
  #inTexts(field: string, texts: readonly string[], at: number, isScored: boolean): Condition {
    return anyCondition(
      texts.flatMap(text => {
        const terms = queryTerms(text, this.#language)
        if (terms.length === 0) throw syntaxError('this text contains no word to search for', at)
        if (isScored) this.quoted.push(...terms.map(term => termInField(field, term)))
        const forms = isScored ? phraseForms(terms) : inflectedForms(terms, '', this.#asked.in(`.${field}`))
        return forms.map(
          (phrase): Condition => ({ kind: 'phrase', phrase: phraseInField(field, phrase), title: false }),
        )
      }),
    )
  }

  #words(node: WordsNode, isScored: boolean): Condition {
    if (isWordField(node.field))
      return anyCondition(
        this.#phrase(node, isScored, node.field === undefined ? node.text : '').map(
          (phrase): Condition => ({ kind: 'phrase', phrase, title: node.field === 'title' }),
        ),
      )
    const term = valueTerm(node)
    const condition: Condition = { kind: 'phrase', phrase: [{ term, offset: 0 }], title: false }
    const address = node.field === 'site' ? siteOf(node).address : undefined
    if (address === undefined) return condition
    const inUrl: WordsNode = { ...node, field: 'url', text: address, quoted: true }
    return { kind: 'all', parts: [condition, this.#words(inUrl, isScored)] }
  }

  /**
   * Returns the forms of a phrase. A page must contain one of them. As in a plain query, a quoted word matches only as it is written, and a word
   * inside NOT also matches its inflections.
   *
   * @param identifier - text that may also be the identifier of a page. Default: none.
   */
  #phrase(node: WordsNode, isScored: boolean, identifier = ''): Phrase[] {
    const { quoted } = node
    const searched = searchedBy(node)
    const isText = searched === 'text'
    const terms = termsIn(searched, node.text, this.#language)
    if (terms.length === 0) throw syntaxError('this text contains no word to search for', node.at)
    if (isText && isScored) (quoted ? this.quoted : this.plain).push(...terms)
    const prefix = isText ? '' : propertyPrefix(searched)
    const forms =
      isText && quoted
        ? writtenForms(terms, identifier)
        : isScored
          ? phraseForms(terms, identifier)
          : inflectedForms(terms, identifier, this.#asked.in(searched))
    return forms.map(form => form.map(part => ({ ...part, term: prefix + part.term })))
  }

  #pattern(node: Extract<SyntaxNode, { kind: 'prefix' | 'fuzzy' }>, isScored: boolean): Condition {
    const { field, at, kind } = node
    const sign = kind === 'prefix' ? '*' : '~'
    if (!isWordField(field)) throw syntaxError(`${sign} is not allowed in ${field}:`, at)
    const terms = queryTerms(node.text)
    const [first] = terms
    if (!first) throw syntaxError(`${sign} must follow a word`, at)
    const overlap = terms.every(({ start }, i) => i === 0 || start < terms[i - 1]!.end)
    // In scripts that are indexed as character bigrams, a pattern is the phrase of its bigrams.
    if (terms.length > 1 && overlap) return this.#words({ ...node, kind: 'words', quoted: true }, isScored)
    if (terms.length > 1) throw syntaxError(`${sign} applies to a single word; put the words before it in quotes`, at)
    const { word, term } = first
    const isText = field !== 'url' && field !== 'author'
    const before = isText ? '' : propertyPrefix(field)
    const base = { text: word + sign, at, title: field === 'title', scores: isText && isScored }
    if (kind === 'prefix') {
      const isShort = word.length < MIN_PREFIX && /^[a-z\d]/.test(word)
      if (isShort) throw syntaxError(`a prefix needs at least ${MIN_PREFIX} letters`, at)
      // No term is longer than this limit.
      const prefix = word.slice(0, MAX_BEGINNING_UNITS)
      return this.#add({ ...base, prefix: before + prefix, also: [before + stemTerm(prefix)] })
    }
    const edits = node.distance ?? (word.length <= EXACT_LETTERS ? 0 : word.length <= ONE_EDIT_LETTERS ? 1 : 2)
    const initial = String.fromCodePoint(term.codePointAt(0) ?? 0)
    // The word itself scores as usual, so that pages with the exact spelling rank first.
    if (base.scores) this.quoted.push(first)
    return this.#add({ ...base, prefix: before + initial, fuzzy: { word: before + term, edits } })
  }

  #add(pattern: TermPattern): Condition {
    const same = this.patterns.findIndex(known => isDeepStrictEqual({ ...known, at: pattern.at }, pattern))
    if (same >= 0) return { kind: 'pattern', number: same }
    if (this.patterns.length === MAX_PATTERNS)
      throw syntaxError(`a query may contain at most ${MAX_PATTERNS} words with * or ~`, pattern.at)
    this.patterns.push(pattern)
    return { kind: 'pattern', number: this.patterns.length - 1 }
  }
}

/** The words of a text. The address and the author's name of a page are analyzed without a language. */
function termsIn(searched: Searched, text: string, language: string): QueryTerm[] {
  return queryTerms(text, searched === 'url' || searched === 'author' ? '' : language)
}

/** The language that all pages must have according to the query. */
function restrictedLanguage(node: SyntaxNode): string | undefined {
  if (node.kind === 'and') return node.parts.map(restrictedLanguage).find(language => language !== undefined)
  return node.kind === 'words' && node.field === 'lang' ? languageOfTag(node.text) : undefined
}

/** @param parts - at least one. */
function anyCondition(parts: Condition[]): Condition {
  return parts.length === 1 ? parts[0]! : { kind: 'any', parts }
}

type WordField = Exclude<SearchField, 'site' | 'lang' | 'type'>

function isWordField(field: SearchField | undefined): field is WordField | undefined {
  return field === undefined || field === 'title' || field === 'url' || field === 'author'
}

/** Turns the terms of a word of the text into those of the same word in a field with texts. */
function termInField(field: string, { stem, spelledOut, dictionary, ...term }: QueryTerm): QueryTerm {
  return {
    ...term,
    term: inField(field, term.term),
    stem: stem === undefined ? undefined : inField(field, stem),
    spelledOut: spelledOut === undefined ? undefined : inField(field, spelledOut),
    dictionary: dictionary?.map(word => inField(field, word)),
  }
}

/** Returns the term for the value of `site:`, `lang:` or `type:`. */
function valueTerm(node: WordsNode): string {
  const { field, at } = node
  const text = node.text.trim()
  if (field === 'site') return hostTerm(siteOf(node).site)
  if (field === 'lang') {
    const [tag] = languageRanges(text)
    if (tag === undefined) throw syntaxError('the value of lang: must be a language tag such as en or pt-BR', at)
    return propertyTerm('lang', tag)
  }
  const kind = pageKinds.find(known => known === text.toLowerCase())
  if (!kind) throw syntaxError(`the value of type: must be one of ${pageKinds.join(', ')}`, at)
  return propertyTerm('type', kind)
}

function siteOf({ text, at }: WordsNode): SiteValue {
  try {
    return readSiteValue(text)
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_OPTION')) throw withPosition(error, at)
    throw error
  }
}

function windowOf(
  { field, from, to, isOpen, at }: Extract<SyntaxNode, { kind: 'range' }>,
  { requestedAt, queryTime, weeksInFilters }: RangeOrigin,
): TimeWindow {
  // An invalid `queryTime` of the request must throw its own error, not one about the query.
  const resolved = resolveTimes({ queryTime }, requestedAt)
  const origin = deltaOrigin(resolved.queryTime, requestedAt, weeksInFilters)
  const spanOf = (text: string): TimeWindow => {
    const span = filterSpan(text, origin)
    if (!('reason' in span)) return span
    throw syntaxError(`${field}: ${shown(text)} ${span.reason}; expected ${filterForms(origin)}`, at)
  }
  const [first, last] = [from, to].map(text => (text === '*' ? undefined : spanOf(text)))
  return {
    from: first ? (isOpen ? first.to + 1 : first.from) : Number.NEGATIVE_INFINITY,
    to: last ? (isOpen ? last.from - 1 : last.to) : Number.POSITIVE_INFINITY,
  }
}

/** Turns an error about a value into a syntax error at the position of the value. */
function withPosition(error: AsofError, at: number): AsofError {
  return syntaxError(error.message, at)
}
