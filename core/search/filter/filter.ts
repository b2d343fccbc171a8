import type { TimeWindow } from '../../dates/resolve-times.ts'
import type { TypedFilter } from '../../fields/typed-filter.ts'
import type { AdjacentWord, TopKCondition } from '../../kernels/topk-query.ts'
import { WINDOW } from '../../segment/postings/window-impacts.ts'
import type { Segment } from '../../segment/segment.ts'
import { hostTerm } from '../../text/terms/host-term.ts'
import { fieldBits } from '../fields/field-bits.ts'
import { hasBit, type OrdinalBits } from '../fields/ordinal-bits.ts'
import { selectiveList } from '../fields/selective-list.ts'
import { openPhrase, type PhraseMatcher } from '../postings/phrase-matcher.ts'
import type { PostingCursor, PostingCursors } from '../postings/posting-cursor.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { AnalyzedQuery } from '../query/analyze-query.ts'
import type { Phrase } from '../query/scoring-terms.ts'

/** Number of captures whose phrases and exclusions are tested between two checks of the search time. */
const BETWEEN_CHECKS = 64

/** The conditions that a capture must fulfill besides containing a scoring term. */
export interface FilterOptions {
  query: Pick<AnalyzedQuery, 'phrases' | 'excluded' | 'sites' | 'excludedSites'>
  /** Domains that captures must be on, besides those of the query. */
  sites: readonly string[]
  /** Captures must be current at this instant, epoch ms. */
  instant: number
  published: TimeWindow | undefined
  /** Conditions on fields. Default: none. */
  filter?: TypedFilter
}

/** The filter of a query on one segment: sites, phrases, exclusions, publish dates, and being current at the instant. */
export class Filter {
  /** Cursors over the posting lists that contain every match: one for each list, the shortest list first. */
  readonly required: readonly PostingCursor[]
  /** True if no capture of the segment can match. */
  readonly matchesNothing: boolean
  readonly published: TimeWindow | undefined
  readonly #segment: Segment
  readonly #instant: number
  /** For each required phrase its forms that the segment may contain. */
  readonly #phrases: PhraseMatcher[][]
  /** Sorted by {@link byLikelihood}: the first exclusion that matches a capture ends the test. */
  readonly #excluded: PhraseMatcher[]
  /** The captures that fulfill the conditions on fields; undefined if there are none. */
  readonly #fields: OrdinalBits | undefined
  /** Number of captures tested. */
  #tested = 0

  /** @param cursors - the cursors of the query into the segment, which the scorer of the segment shares. */
  constructor(segment: Segment, { query, sites, instant, published, filter }: FilterOptions, cursors: PostingCursors) {
    this.#segment = segment
    this.#instant = instant
    this.published = published
    const hosts = [...query.sites, ...sites].map(site => segment.term(hostTerm(site)))
    this.#phrases = query.phrases.map(forms =>
      forms.map(form => openPhrase(segment, form, cursors)).filter(form => form !== undefined),
    )
    this.#excluded = [
      ...query.excluded,
      ...query.excludedSites.map((site): Phrase => [{ term: hostTerm(site), offset: 0 }]),
    ]
      .map(phrase => openPhrase(segment, phrase, cursors))
      .filter(phrase => phrase !== undefined)
      .sort(byLikelihood)
    const required = new Set<PostingCursor>()
    for (const host of hosts) if (host) required.add(cursors.of(host.list))
    // If a phrase has several forms, a match need not be in the lists of any single one.
    for (const [form, ...others] of this.#phrases)
      if (form && others.length === 0) for (const cursor of form.cursors) required.add(cursor)
    this.#fields = filter && fieldBits(segment, filter, instant)
    const selective = this.#fields && selectiveList(segment, this.#fields)
    if (selective) required.add(cursors.of(selective))
    this.matchesNothing =
      hosts.includes(undefined) || this.#phrases.some(forms => forms.length === 0) || selective?.count === 0
    this.required = [...required].sort((a, b) => a.list.count - b.list.count)
  }

  /** The words that another word must follow immediately, of the required phrases that have only one form. */
  adjacentWords(): AdjacentWord[] {
    return this.#phrases.flatMap(([form, ...others]) => (form && others.length === 0 ? form.adjacentWords() : []))
  }

  /** The publish days of the captures of the segment as of the instant. */
  publishDays(): Uint16Array {
    return this.#segment.publishDaysAt(this.#instant)
  }

  /** True if the capture was current at the instant. */
  isCurrent(ordinal: number): boolean {
    return this.#segment.columns.supersededAt[ordinal]! > this.#instant
  }

  /** What the required lists leave to test; undefined if they leave nothing. */
  condition(): TopKCondition | undefined {
    const fields = this.#fields
    if (!fields && this.#phrases.length === 0 && this.#excluded.length === 0) return undefined
    return {
      size: fields ? 0 : Number.POSITIVE_INFINITY,
      fill: (base, out) => {
        out.fill(0)
        if (fields) out.set(fields.subarray(base >>> 5, (base + WINDOW) >>> 5))
      },
      matches: ordinal => this.hasFields(ordinal) && this.matchesPhrases(ordinal),
    }
  }

  /** True if the capture fulfills the conditions on fields. */
  hasFields(ordinal: number): boolean {
    return this.#fields === undefined || hasBit(this.#fields, ordinal)
  }

  isPublishedWithin(ordinal: number): boolean {
    if (!this.published) return true
    const at = this.#segment.publishedAt(ordinal, this.#instant)
    return at >= this.published.from && at <= this.published.to
  }

  /** True if all required lists contain the capture. */
  isInRequired(ordinal: number): boolean {
    for (const cursor of this.required) if (cursor.advance(ordinal) < 0) return false
    return true
  }

  /** Tests phrases and exclusions of a capture that all required lists contain. */
  matchesPhrases(ordinal: number): boolean {
    if (++this.#tested % BETWEEN_CHECKS === 0) checkSearchTime()
    for (const forms of this.#phrases) if (!matchesAny(forms, ordinal)) return false
    for (const phrase of this.#excluded) if (phrase.matches(ordinal)) return false
    return true
  }

  /** Tests a capture that all required lists contain against the whole filter. */
  matches(ordinal: number): boolean {
    return (
      this.isCurrent(ordinal) &&
      this.hasFields(ordinal) &&
      this.isPublishedWithin(ordinal) &&
      this.matchesPhrases(ordinal)
    )
  }
}

/** Sorts phrases by their number of words, then those with the more frequent first word first: cheapest and likeliest. */
function byLikelihood(a: PhraseMatcher, b: PhraseMatcher): number {
  return a.cursors.length - b.cursors.length || b.cursors[0]!.list.count - a.cursors[0]!.list.count
}

function matchesAny(forms: readonly PhraseMatcher[], ordinal: number): boolean {
  for (const form of forms) if (form.matches(ordinal)) return true
  return false
}
