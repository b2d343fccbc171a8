import type { FieldType } from '@asof/extract/page'
import { checkSearchTime } from '../postings/search-time.ts'
import { analyzer } from '../text/languages/analyzers.ts'
import { propertyTerm } from '../text/terms/property-term.ts'
import { MAX_EXPANSIONS, TooManyWords } from './clauses/pattern-expansion.ts'
import { isRevisable } from './clauses/revised-terms.ts'
import type {
  Collection,
  CollectionStatistics,
  LastHit,
  MatchesElsewhere,
  NearestQuery,
  NearTerm,
  RankedQuery,
} from './collection/collection.ts'
import type { ValueName, ValueOrder } from './collection/value-order.ts'
import type { ContenderQuery, WholeExpansion, WholeIndex } from './collection/whole-index.ts'
import type { TermPattern } from './conditions/term-pattern.ts'
import { isPlainWord } from './terms/compound-part.ts'
import { editsBetween } from './terms/near-terms.ts'

/** The collection of an index of which only a part is in view. It asks a {@link WholeIndex} for all that depends on the other captures. */
export class PartCollection implements Collection {
  readonly #whole: WholeIndex

  constructor(whole: WholeIndex) {
    this.#whole = whole
  }

  get statistics(): CollectionStatistics {
    return this.#whole.statistics
  }

  hasCurrentPage(): boolean {
    return this.#whole.hasCurrentPage()
  }

  frequencyOf(term: string): number {
    return this.#whole.frequencyOf(term)
  }

  nearTerms(term: string, edits: number): NearTerm[] {
    return this.#whole.nearTerms(term, edits).map(near => ({ ...near, edits: editsBetween(near.term, term) }))
  }

  languages(): string[] {
    return analyzer.languages.stemmed.filter(language => this.#whole.contains(propertyTerm('lang', language)))
  }

  termsOf(pattern: TermPattern): Map<string, number> {
    const found = new Map<string, number>()
    for (const term of this.#expand(pattern).terms) {
      checkSearchTime()
      const captures = this.#whole.frequencyOf(term)
      if (captures > 0) found.set(term, captures)
      if (found.size > MAX_EXPANSIONS) throw new TooManyWords(pattern)
    }
    return found
  }

  *termsWithin(letters: string, mayBe: (term: string) => boolean): Generator<[term: string, captures: number]> {
    const pattern = { text: letters, at: 0, prefix: '', inside: letters, title: false, scores: false }
    for (const term of this.#whole.expand(pattern).terms) {
      const captures = isPlainWord(term) && mayBe(term) ? this.#whole.frequencyOf(term) : 0
      if (captures > 0) yield [term, captures]
    }
  }

  textFields(): readonly string[] {
    return this.#whole.textFields()
  }

  fieldType(name: string): FieldType | undefined {
    return this.#whole.fieldType(name)
  }

  fieldNames(instant?: number): string[] {
    return this.#whole.fieldNames(instant)
  }

  valuesOf(): number {
    return this.#whole.refuse('many ranges and prefixes')
  }

  expectFewTerms(patterns: readonly TermPattern[]): void {
    for (const pattern of patterns) {
      // The whole index does not know which captures have a word in the title.
      if (pattern.scores && pattern.title) this.#whole.refuse('patterns in titles')
      this.#expand(pattern)
    }
  }

  capturesWith(pattern: TermPattern): number {
    return this.#whole.expand(pattern).captures
  }

  expectBest(query: () => RankedQuery, k: number, last: LastHit | undefined): void {
    this.#whole.expectBest(this.#contenderQuery(query()), k, last)
  }

  expectFirst(query: () => RankedQuery, order: ValueOrder, k: number): void {
    this.#whole.expectFirst(this.#contenderQuery(query()), order, k)
  }

  expectPages(urls: readonly string[]): void {
    this.#whole.expectPages(urls)
  }

  expectAll(what: string): void {
    this.#whole.refuse(what)
  }

  leastSimilarity(query: NearestQuery): number {
    return this.#whole.expectNearest(query)
  }

  matches(query: () => RankedQuery, values: readonly ValueName[]): MatchesElsewhere {
    return this.#whole.matches(this.#contenderQuery(query()), values)
  }

  #expand(pattern: TermPattern): WholeExpansion {
    const expansion = this.#whole.expand(pattern)
    if (expansion.isTooLarge) throw new TooManyWords(pattern)
    return expansion
  }

  #contenderQuery({ patterns, ...query }: RankedQuery): ContenderQuery {
    const terms = patterns.map(pattern => this.#expand(pattern).terms)
    return {
      ...query,
      patterns: patterns.map(({ prefix }, number) => (isRevisable(prefix) ? undefined : terms[number])),
      acquiredPatterns: patterns.map(({ title }, number) => (title ? undefined : terms[number])),
    }
  }
}
