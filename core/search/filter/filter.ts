import type { TimeWindow } from '../../dates/resolve-times.ts'
import type { Segment } from '../../segment/segment.ts'
import { hostTerm } from '../../text/terms/host-term.ts'
import { type FollowedWord, openPhrase, type PhraseMatcher } from '../postings/phrase-matcher.ts'
import type { ListProbe, ListProbes } from '../postings/posting-cursor.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { ParsedQuery } from '../query/parse-query.ts'
import type { Phrase } from '../query/scoring-terms.ts'

/** Captures whose phrases and exclusions are looked at between two looks at the time. */
const BETWEEN_CHECKS = 64

/** What a capture must fulfil besides its score. */
export interface ConditionOptions {
  query: ParsedQuery
  /** Domains besides those of the query. */
  sites: readonly string[]
  instant: number
  published: TimeWindow | undefined
}

/** The hard conditions of a query on one segment. */
export class Conditions {
  /** Lists that every match stands in, each once, the shortest first. */
  readonly required: readonly ListProbe[]
  /** True when nothing in the segment can match. */
  readonly impossible: boolean
  readonly published: TimeWindow | undefined
  readonly #segment: Segment
  readonly #instant: number
  /** Of each phrase the forms that may be found here. */
  readonly #phrases: PhraseMatcher[][]
  /** What excludes most comes first: so few exclusions are looked at for a capture that any excludes. */
  readonly #excluded: PhraseMatcher[]
  /** Captures looked at. */
  #looks = 0

  /** @param probes - those of the query's lists in the segment, shared with whatever else looks into them. */
  constructor(segment: Segment, { query, sites, instant, published }: ConditionOptions, probes: ListProbes) {
    this.#segment = segment
    this.#instant = instant
    this.published = published
    const hosts = [...query.sites, ...sites].map(site => segment.term(hostTerm(site)))
    this.#phrases = query.phrases.map(forms =>
      forms.map(form => openPhrase(segment, form, probes)).filter(form => form !== undefined),
    )
    this.impossible = hosts.includes(undefined) || this.#phrases.some(forms => forms.length === 0)
    this.#excluded = [
      ...query.excluded,
      ...query.excludedSites.map((site): Phrase => [{ term: hostTerm(site), offset: 0 }]),
    ]
      .map(phrase => openPhrase(segment, phrase, probes))
      .filter(phrase => phrase !== undefined)
      .sort(byLikelihood)
    const required = new Set<ListProbe>()
    for (const host of hosts) if (host) required.add(probes.of(host.list))
    // Of several forms none is required.
    for (const [form, ...others] of this.#phrases)
      if (form && others.length === 0) for (const probe of form.probes) required.add(probe)
    this.required = [...required].sort((a, b) => a.list.count - b.list.count)
  }

  /** Of all words that must have another right behind them. */
  followedWords(): FollowedWord[] {
    return this.#phrases.flatMap(([form, ...others]) => (form && others.length === 0 ? form.followedWords() : []))
  }

  /** See {@link publishDays}, as of the instant. */
  publishDays(): Uint16Array {
    return this.#segment.publishDaysAt(this.#instant)
  }

  /** Whether the capture was current at the instant. */
  isCurrent(ordinal: number): boolean {
    return this.#segment.columns.supersededAt[ordinal] > this.#instant
  }

  isPublishedWithin(ordinal: number): boolean {
    if (!this.published) return true
    const at = this.#segment.publishedAt(ordinal, this.#instant)
    return at >= this.published.from && at <= this.published.to
  }

  /** Whether the capture stands in all required lists. */
  isInRequired(ordinal: number): boolean {
    for (const probe of this.required) if (probe.find(ordinal) < 0) return false
    return true
  }

  /** Phrases and exclusions, for a capture that stands in all required lists. */
  holdsPhrases(ordinal: number): boolean {
    if (++this.#looks % BETWEEN_CHECKS === 0) checkSearchTime()
    for (const forms of this.#phrases) if (!matchesAny(forms, ordinal)) return false
    for (const phrase of this.#excluded) if (phrase.matches(ordinal)) return false
    return true
  }

  /** Everything, for a capture that stands in all required lists. */
  accepts(ordinal: number): boolean {
    return this.isCurrent(ordinal) && this.isPublishedWithin(ordinal) && this.holdsPhrases(ordinal)
  }
}

/** Single words first, and the most frequent of them: they are the cheapest to look up and the likeliest to be found. */
function byLikelihood(a: PhraseMatcher, b: PhraseMatcher): number {
  return a.probes.length - b.probes.length || b.probes[0].list.count - a.probes[0].list.count
}

function matchesAny(forms: readonly PhraseMatcher[], ordinal: number): boolean {
  for (const form of forms) if (form.matches(ordinal)) return true
  return false
}
