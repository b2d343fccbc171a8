import { AsofError, invalidOption, isPlainObject, optionsReader, shown } from '@asof/extract/errors'
import { isFieldName } from '@asof/extract/page'
import { type FieldFilter, parseFilter } from '../fields/field-filter.ts'
import type { TimeInput } from '../page.ts'
import { queryTerms } from '../text/terms/query-terms.ts'
import { normalizeUrl } from '../url.ts'

/** The options of {@link Engine.relevance}. */
export interface RelevanceOptions {
  /** The instant of the answer, see {@link SearchOptions.queryTime}. Default now. */
  queryTime?: TimeInput
}

/** How the searches of an index rank pages. Each part is optional. The index keeps all versions, each valid from an instant on. */
export interface Relevance {
  /** The weights of searches that have none of their own. */
  weights?: SearchWeights
  /** Texts that mean the same, see {@link Synonym}. At most 5,000. */
  synonyms?: readonly Synonym[]
  /** Words that do not score in queries, besides the function words of the language. They score if a query has no other words. At most 1,000. */
  stopWords?: readonly string[]
  /** Pins and boosts for some or all queries. At most 200 rules. */
  rules?: readonly RankingRule[]
}

/** How much the parts of a page count in its score. */
export interface SearchWeights {
  /** How often an occurrence of a word in the title counts, relative to one in the text: 0 to 100. Default 3. */
  title?: number
  /**
   * Weights of fields, at most 8, each 0 to 100. A word in a field of texts scores this many times as much as in the text; default 1. The
   * values of a field of keywords are searched only if it has a weight: a page with a word of the query in a value gains this many times the
   * weight of the word, like one occurrence in a page of average length.
   */
  fields?: Readonly<Record<string, number>>
}

/**
 * Texts that mean the same, each of at most 5 words and 100 characters: a list of 2 to 20 texts, each of which also finds the
 * others; or `words` that also find the texts of `also`, but not the other way.
 */
export type Synonym = readonly string[] | { words: readonly string[]; also: readonly string[] }

/** What is pinned and boosted in answers to some queries. */
export interface RankingRule {
  /** Words that a query must all have, in any order, at most 200 characters. Default: the rule applies to every query. */
  when?: string
  /** Pages that are results at given positions, at most 20. */
  pin?: readonly Pin[]
  /** Pages whose scores are multiplied, at most 5. */
  boost?: readonly FilterBoost[]
}

/** A page at a position of the results. */
export interface Pin {
  url: string
  /** The number of the result, 1 to 50. */
  position: number
}

/** A factor for the scores of the pages that fulfill a filter. */
export interface FilterBoost {
  filter: FieldFilter
  /** 0.1 to 10. */
  factor: number
}

/** The relevance of an index as of an instant. */
export interface RelevanceAsOf {
  /** The relevance. Empty if none was set. */
  relevance: Relevance
  /** The instant from which the relevance is valid, epoch milliseconds. Undefined if none was set. */
  since?: number
}

export const relevanceLimits = {
  weight: 100,
  fields: 8,
  synonyms: 5_000,
  texts: 20,
  textChars: 100,
  textWords: 5,
  stopWords: 1_000,
  rules: 200,
  whenChars: 200,
  pins: 20,
  position: 50,
  boosts: 5,
  factor: { least: 0.1, most: 10 },
  bytes: 1024 * 1024,
} as const

const readRelevance = optionsReader<Relevance>(
  { weights: 'object', synonyms: 'list', stopWords: 'list', rules: 'list' },
  { synonyms: { stopwords: 'stopWords', pins: 'rules', boosts: 'rules' } },
)
const readWeights = optionsReader<SearchWeights>({ title: 'number', fields: 'object' }, { within: 'weights' })

/**
 * Checks the relevance that a caller gives, and returns a copy in plain JSON.
 *
 * @throws ASOF_INVALID_OPTION - `details.field` is the path of what is wrong, such as `synonyms[3].also[0]`.
 */
export function checkedRelevance(given: Relevance): Relevance {
  const { weights, synonyms, stopWords, rules } = readRelevance(given)
  const checked: Relevance = {
    weights: weights && checkedWeights(weights),
    synonyms: synonyms && listOf('synonyms', synonyms, relevanceLimits.synonyms, checkedSynonym),
    stopWords: stopWords && listOf('stopWords', stopWords, relevanceLimits.stopWords, checkedStopWord),
    rules: rules && listOf('rules', rules, relevanceLimits.rules, checkedRule),
  }
  const json = JSON.stringify(checked)
  if (Buffer.byteLength(json) > relevanceLimits.bytes)
    throw invalidOption('relevance', `takes more than ${relevanceLimits.bytes} bytes as JSON`)
  return JSON.parse(json) as Relevance
}

/** @throws ASOF_INVALID_OPTION */
export function checkedWeights(given: SearchWeights): SearchWeights {
  const { title, fields } = readWeights(given)
  if (title !== undefined) checkWeight('weights.title', title)
  const weighed = Object.entries(fields ?? {})
  if (weighed.length > relevanceLimits.fields)
    throw invalidOption('weights.fields', `has more than ${relevanceLimits.fields} fields`)
  for (const [field, weight] of weighed) {
    const path = `weights.fields.${field.slice(0, 40)}`
    if (!isFieldName(field)) throw invalidOption(path, 'is not a name of a field: letters, digits, _, - and .')
    checkWeight(path, weight)
  }
  return { title, fields: fields && Object.fromEntries(weighed) }
}

function checkWeight(path: string, weight: unknown): void {
  if (!(typeof weight === 'number' && weight >= 0 && weight <= relevanceLimits.weight))
    throw invalidOption(path, `must be a number from 0 to ${relevanceLimits.weight}`)
}

/** Checks each item of a list under its path. */
function listOf<T, U>(path: string, given: unknown, most: number, check: (path: string, item: T) => U): U[] {
  if (!Array.isArray(given)) throw invalidOption(path, `must be a list, not ${shown(given)}`)
  if (given.length > most) throw invalidOption(path, `has more than ${most} items`)
  return Array.from(given, (item, i) => check(`${path}[${i}]`, item))
}

function checkedSynonym(path: string, given: Synonym): Synonym {
  if (Array.isArray(given)) return textsOf(path, given, 2)
  const { words, also } = objectOf(path, given, ['words', 'also'])
  return { words: textsOf(`${path}.words`, words, 1), also: textsOf(`${path}.also`, also, 1) }
}

function textsOf(path: string, given: unknown, least: number): string[] {
  const texts = listOf(path, given, relevanceLimits.texts, checkedText)
  if (texts.length < least) throw invalidOption(path, `must have at least ${least === 1 ? 'one text' : 'two texts'}`)
  return texts
}

function checkedText(path: string, given: unknown): string {
  const text = stringOf(path, given, relevanceLimits.textChars)
  const words = new Set(queryTerms(text).map(({ position }) => position)).size
  if (words < 1 || words > relevanceLimits.textWords)
    throw invalidOption(path, `must have 1 to ${relevanceLimits.textWords} words, not ${shown(text)}`)
  return text
}

function checkedStopWord(path: string, given: unknown): string {
  const text = stringOf(path, given, relevanceLimits.textChars)
  if (queryTerms(text).length !== 1) throw invalidOption(path, `must be one word, not ${shown(text)}`)
  return text
}

function checkedRule(path: string, given: RankingRule): RankingRule {
  const { when, pin, boost } = objectOf(path, given, ['when', 'pin', 'boost'])
  if (pin === undefined && boost === undefined) throw invalidOption(path, 'must have pin or boost')
  if (when !== undefined && queryTerms(stringOf(`${path}.when`, when, relevanceLimits.whenChars)).length === 0)
    throw invalidOption(`${path}.when`, 'has no word; leave it out for a rule that always applies')
  return {
    when: when === undefined ? undefined : stringOf(`${path}.when`, when, relevanceLimits.whenChars),
    pin: pin === undefined ? undefined : listOf(`${path}.pin`, pin, relevanceLimits.pins, checkedPin),
    boost: boost === undefined ? undefined : listOf(`${path}.boost`, boost, relevanceLimits.boosts, checkedBoost),
  }
}

function checkedPin(path: string, given: Pin): Pin {
  const { url, position } = objectOf(path, given, ['url', 'position'])
  const most = relevanceLimits.position
  if (!(Number.isInteger(position) && Number(position) >= 1 && Number(position) <= most))
    throw invalidOption(`${path}.position`, `must be a whole number from 1 to ${most}`)
  return {
    url: under(`${path}.url`, () => normalizeUrl(stringOf(`${path}.url`, url, 2048))),
    position: Number(position),
  }
}

function checkedBoost(path: string, given: FilterBoost): FilterBoost {
  const { filter, factor } = objectOf(path, given, ['filter', 'factor'])
  const { least, most } = relevanceLimits.factor
  if (!(typeof factor === 'number' && factor >= least && factor <= most))
    throw invalidOption(`${path}.factor`, `must be a number from ${least} to ${most}`)
  if (!isPlainObject(filter)) throw invalidOption(`${path}.filter`, `must be an object, not ${shown(filter)}`)
  under(path, () => parseFilter(filter as FieldFilter))
  return { filter: filter as FieldFilter, factor }
}

function stringOf(path: string, given: unknown, mostChars: number): string {
  if (typeof given !== 'string') throw invalidOption(path, `must be a string, not ${shown(given)}`)
  if (given.length > mostChars) throw invalidOption(path, `has more than ${mostChars} characters`)
  return given
}

function objectOf<Name extends string>(
  path: string,
  given: unknown,
  names: readonly Name[],
): Partial<Record<Name, unknown>> {
  if (!isPlainObject(given)) throw invalidOption(path, `must be an object, not ${shown(given)}`)
  const unknown = Object.keys(given).find(name => !(names as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw invalidOption(`${path}.${unknown.slice(0, 40)}`, `is unknown; known are ${names.join(', ')}`)
  return given as Partial<Record<Name, unknown>>
}

/** Runs a check whose errors do not name the path, and adds the path to them. */
function under<T>(path: string, check: () => T): T {
  try {
    return check()
  } catch (cause) {
    if (!(cause instanceof AsofError)) throw cause
    throw new AsofError('ASOF_INVALID_OPTION', `${path}: ${cause.message}`, { cause, details: { field: path } })
  }
}
