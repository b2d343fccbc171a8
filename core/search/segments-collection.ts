import type { FieldType } from '@asof/extract/page'
import { documentFrequency, frequencyOfEntry, type SegmentView, viewsAt } from '../postings/segment-view.ts'
import type { SegmentTerm } from '../segment/posting-cache.ts'
import type { Segment } from '../segment/segment.ts'
import { termFrequencies } from './clauses/pattern-expansion.ts'
import type {
  Collection,
  CollectionStatistics,
  NearestMinimum,
  NearestQuery,
  NearTerm,
} from './collection/collection.ts'
import type { TermPattern } from './conditions/term-pattern.ts'
import { KnownFields } from './fields/known-fields.ts'
import { textFieldsIn } from './fields/words-in-texts.ts'
import { termsWithin } from './terms/long-words.ts'
import { nearTermsIn } from './terms/near-terms.ts'
import { languagesIn } from './terms/query-language.ts'

/** The collection of an index whose segments are all in view. So its methods that expect captures in view never throw. */
export class SegmentsCollection implements Collection {
  readonly statistics: CollectionStatistics
  readonly #segments: readonly Segment[]
  readonly #instant: number
  readonly #views: readonly SegmentView[]
  readonly #fields: KnownFields

  /** @param segments - all segments of the index, newest first. @param instant - epoch ms. */
  constructor(segments: readonly Segment[], instant: number) {
    this.#segments = segments
    this.#instant = instant
    this.#views = viewsAt(segments, instant)
    this.#fields = new KnownFields(this.#views)
    this.statistics = statisticsOf(this.#views)
  }

  frequencyOf(term: string, lists?: readonly (SegmentTerm | undefined)[]): number {
    let sum = 0
    this.#views.forEach((view, v) => {
      const entry = lists ? undefined : view.segment.dictionary.find(term)
      if (lists?.[v]) sum += documentFrequency(view, lists[v])
      else if (entry) sum += frequencyOfEntry(view, entry)
    })
    return sum
  }

  nearTerms(term: string, edits: number): NearTerm[] {
    return nearTermsIn(this.#views, term, edits)
  }

  languages(): string[] {
    return languagesIn(this.#views)
  }

  termsOf(pattern: TermPattern): Map<string, number> {
    return termFrequencies(this.#views, pattern)
  }

  termsWithin(letters: string, mayBe: (term: string) => boolean): Iterable<[term: string, captures: number]> {
    return termsWithin(this.#views, letters, mayBe)
  }

  textFields(): string[] {
    return textFieldsIn(this.#views)
  }

  fieldType(name: string): FieldType | undefined {
    return this.#fields.fieldType(name)
  }

  fieldNames(instant = this.#instant): string[] {
    const fields = instant === this.#instant ? this.#fields : new KnownFields(viewsAt(this.#segments, instant))
    return fields.fieldNames()
  }

  valuesOf(name: string): number {
    return this.#fields.valuesOf(name)
  }

  capturesWith(_: TermPattern, inView: () => number): number {
    return inView()
  }

  nearest(_: NearestQuery, inView: () => NearestMinimum): NearestMinimum {
    return inView()
  }

  matches(): undefined {
    return undefined
  }

  expectFewTerms(): void {}
  expectBest(): void {}
  expectFirst(): void {}
  expectPages(): void {}
  expectAll(): void {}
}

function statisticsOf(views: readonly SegmentView[]): CollectionStatistics {
  let captures = 0
  let length = 0
  let acquired = 0
  let declared = 0
  for (const { segment, ordinalEnd, instant } of views) {
    const totals = segment.totals(ordinalEnd)
    const standing = segment.standing(instant)
    captures += standing.captures
    length += standing.length
    acquired += totals.captures
    declared += totals.declared + segment.declaredUpTo(instant)
  }
  return { captures, averageLength: captures > 0 ? length / captures : 0, acquired, declared }
}
