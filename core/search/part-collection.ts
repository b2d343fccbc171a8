import type { FieldType } from '@asof/extract/page'
import { checkSearchTime } from '../postings/search-time.ts'
import { analyzer } from '../text/languages/analyzers.ts'
import { propertyTerm } from '../text/terms/property-term.ts'
import { TooManyWords } from './clauses/pattern-expansion.ts'
import { isRevisable } from './clauses/revised-terms.ts'
import type {
  Collection,
  CollectionStatistics,
  LastHit,
  MatchesElsewhere,
  NearestMinimum,
  NearestQuery,
  NearTerm,
  RankedQuery,
} from './collection/collection.ts'
import type { CollectionSource, ContenderQuery, ExpandedPattern } from './collection/collection-source.ts'
import type { ValueName, ValueOrder } from './collection/value-order.ts'
import type { TermPattern } from './conditions/term-pattern.ts'
import { isPlainWord } from './terms/compound-part.ts'
import { editsBetween } from './terms/near-terms.ts'

/** The collection of an index of which only a part is in view. It asks a {@link CollectionSource} for all that depends on the other captures. */
export class PartCollection implements Collection {
  readonly #source: CollectionSource

  constructor(source: CollectionSource) {
    this.#source = source
  }

  get statistics(): CollectionStatistics {
    return this.#source.statistics
  }

  frequencyOf(term: string): number {
    return this.#source.frequencyOf(term)
  }

  nearTerms(term: string, edits: number): NearTerm[] {
    return this.#source.nearTerms(term, edits).map(near => ({ ...near, edits: editsBetween(near.term, term) }))
  }

  languages(): string[] {
    return analyzer.languages.stemmed.filter(language => this.#source.contains(propertyTerm('lang', language)))
  }

  termsOf(pattern: TermPattern): Map<string, number> {
    const found = new Map<string, number>()
    for (const term of this.#expand(pattern).terms) {
      checkSearchTime()
      const captures = this.#source.frequencyOf(term)
      if (captures > 0) found.set(term, captures)
    }
    return found
  }

  *termsWithin(letters: string, mayBe: (term: string) => boolean): Generator<[term: string, captures: number]> {
    const pattern = { text: letters, at: 0, prefix: '', inside: letters, title: false, scores: false }
    for (const term of this.#source.expand(pattern).terms) {
      const captures = isPlainWord(term) && mayBe(term) ? this.#source.frequencyOf(term) : 0
      if (captures > 0) yield [term, captures]
    }
  }

  textFields(): readonly string[] {
    return this.#source.textFields()
  }

  fieldType(name: string): FieldType | undefined {
    return this.#source.fieldType(name)
  }

  fieldNames(instant?: number): string[] {
    return this.#source.fieldNames(instant)
  }

  valuesOf(): number {
    return this.#source.refuse('many ranges and prefixes')
  }

  expectFewTerms(patterns: readonly TermPattern[]): void {
    for (const pattern of patterns) {
      // The source does not know which captures have a word in the title.
      if (pattern.scores && pattern.title) this.#source.refuse('patterns in titles')
      this.#expand(pattern)
    }
  }

  capturesWith(pattern: TermPattern): number {
    return this.#source.expand(pattern).captures
  }

  expectBest(query: () => RankedQuery, k: number, last: LastHit | undefined): void {
    this.#source.expectBest(this.#contenderQuery(query()), k, last)
  }

  expectFirst(query: () => RankedQuery, order: ValueOrder, k: number): void {
    this.#source.expectFirst(this.#contenderQuery(query()), order, k)
  }

  expectPages(urls: readonly string[]): void {
    this.#source.expectPages(urls)
  }

  expectAll(what: string): void {
    this.#source.refuse(what)
  }

  nearest(query: NearestQuery): NearestMinimum {
    return this.#source.expectNearest(query)
  }

  matches(query: () => RankedQuery, values: readonly ValueName[]): MatchesElsewhere {
    return this.#source.matches(this.#contenderQuery(query()), values)
  }

  #expand(pattern: TermPattern): ExpandedPattern {
    const expansion = this.#source.expand(pattern)
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
