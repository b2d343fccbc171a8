import type { TimeWindow } from '../../dates/resolve-times.ts'
import type { TypedFilter } from '../../fields/typed-filter.ts'
import { hostTerm } from '../../text/terms/host-term.ts'
import type { Phrase } from '../query/scoring-terms.ts'
import { sitePrefixOf } from '../query/site-prefix.ts'

/** A boolean condition on captures, in terms of the index. Every query becomes one. Plain data. */
export type Condition =
  | { kind: 'all' | 'any'; parts: readonly Condition[] }
  | { kind: 'not'; part: Condition }
  /** Contains a phrase; if `title` is true, in the title. */
  | { kind: 'phrase'; phrase: Phrase; title: boolean }
  /** Contains two phrases with at most `distance` words from the end of one to the beginning of the other. */
  | { kind: 'near'; left: Phrase; right: Phrase; distance: number; title: boolean }
  /** Contains a term that matches the pattern with this number. */
  | { kind: 'pattern'; number: number }
  /** Has a URL whose path is this one, or continues it after a slash. Only together with the domain of the URL. */
  | { kind: 'path'; path: string }
  | { kind: 'acquired' | 'published'; window: TimeWindow }
  | { kind: 'fields'; filter: TypedFilter }

/** The parts of an `AnalyzedQuery` that filter pages. */
export interface PlainFilters {
  phrases: readonly (readonly Phrase[])[]
  excluded: readonly Phrase[]
  sites: readonly string[]
  excludedSites: readonly string[]
  operators?: Condition | undefined
}

/** Returns the filter of a plain query: its sites, required phrases, exclusions and further operators. */
export function filterOf({ phrases, excluded, sites, excludedSites, operators }: PlainFilters): Condition {
  const parts: Condition[] = []
  for (const site of sites) parts.push(siteCondition(site))
  for (const forms of phrases)
    parts.push(forms.length === 1 ? phraseCondition(forms[0]!) : { kind: 'any', parts: forms.map(phraseCondition) })
  for (const phrase of excluded) parts.push({ kind: 'not', part: phraseCondition(phrase) })
  for (const site of excludedSites) parts.push({ kind: 'not', part: siteCondition(site) })
  if (operators) parts.push(operators)
  return { kind: 'all', parts }
}

/** The filters of a request besides those of its query. */
export interface RequestFilters {
  /** A capture must be on each of these domains, which may have a path: see `sitePrefixOf`. */
  sites: readonly string[]
  /** A capture must be on at least one of these domains, which may have a path. Default: on any domain. */
  anyOfSites?: readonly string[]
  /** Domains, with or without a path, that captures must not be on. Default: none. */
  excludedSites?: readonly string[]
  /** Conditions on fields. Default: none. */
  filter?: TypedFilter | undefined
}

/** Returns the conjunction of a condition and the filters of a request. */
export function withFilters(
  condition: Condition,
  { sites, anyOfSites = [], excludedSites = [], filter }: RequestFilters,
): Condition {
  const parts = [...sites.map(siteCondition), condition]
  for (const site of excludedSites) parts.push({ kind: 'not', part: siteCondition(site) })
  if (anyOfSites.length > 0) parts.push({ kind: 'any', parts: anyOfSites.map(siteCondition) })
  return { kind: 'all', parts: filter ? [{ kind: 'fields', filter }, ...parts] : parts }
}

/** Returns the conditions whose conjunction is the given condition. If it is no conjunction, it is returned alone. */
export function conjunctsOf(condition: Condition): readonly Condition[] {
  return condition.kind === 'all' ? condition.parts.flatMap(conjunctsOf) : [condition]
}

/** Returns the term that a condition asks for, if it asks for nothing else: exactly the captures with the term fulfill it. */
export function oneTermOf(condition: Condition): string | undefined {
  if (condition.kind !== 'phrase' || condition.phrase.length !== 1 || condition.title) return undefined
  const { term, endings } = condition.phrase[0]!
  return endings === undefined ? term : undefined
}

/** True if a condition is fulfilled by exactly those captures that contain at least one of the given terms. */
export function isAnyTermOf(condition: Condition, terms: ReadonlySet<string>): boolean {
  const parts = condition.kind === 'any' ? condition.parts : [condition]
  const named = new Set<string>()
  for (const part of parts) {
    const term = oneTermOf(part)
    if (term === undefined) return false
    named.add(term)
  }
  return named.size === terms.size && [...named].every(term => terms.has(term))
}

/** Returns the condition that a page contains at least one of several terms and phrases. */
export function anyForm(
  terms: readonly { term: string }[],
  phrases: readonly { forms: readonly Phrase[] }[],
): { kind: 'any'; parts: Condition[] } {
  const forms = phrases.flatMap(({ forms }) => forms)
  return { kind: 'any', parts: [...terms.map(({ term }) => termCondition(term)), ...forms.map(phraseCondition)] }
}

export function phraseCondition(phrase: Phrase): Condition {
  return { kind: 'phrase', phrase, title: false }
}

/** Returns the condition that a page is on a domain and, if a path follows the domain, below that path. */
export function siteCondition(text: string): Condition {
  const { site, path } = sitePrefixOf(text)
  const onSite = termCondition(hostTerm(site))
  return path === undefined ? onSite : { kind: 'all', parts: [onSite, { kind: 'path', path }] }
}

export function termCondition(term: string): Condition {
  return phraseCondition([{ term, offset: 0 }])
}
