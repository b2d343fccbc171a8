import type { ContenderQuery, MatchesElsewhere, ValueName, ValueOrder } from '@asof/core/internal'
import { unknown, unsupported } from '../not-answered.ts'
import type { CapturesSearch } from '../terms/term-index.ts'
import { hasAnyTerm, isCurrent, type TermQuery } from '../terms/term-queries.ts'
import { allQueries, anyQuery, conditionQuery, necessaryOf } from './condition-query.ts'
import { countFacet } from './facet-query.ts'
import { firstInOrder } from './first-in-order.ts'
import { acquiredValues, type MatchClass, revisedValues, type ValueSource } from './value-source.ts'

/** Maximum number of captures that core checks because the term index cannot decide whether they match. */
const MAX_UNDECIDED = 1_000

/** How the matches of a query are found in the term index. */
interface MatchSet {
  /** Matches the captures for which core has to decide whether they match. */
  undecided: TermQuery
  /** All other matches, possibly in two classes: captures whose values are as acquired, and captures that were revised by the instant. */
  decided: MatchClass[]
}

/**
 * Counts and orders all matches of queries in the term index, without bringing them into view. Captures of which the term index cannot decide
 * whether they match are brought into view instead, and counted there. These are captures whose words have other positions in the term index.
 * If a query asks for a prefix, or for several words, of an author, a language or a kind, all captures that were revised by the instant
 * are undecided too.
 * The search notes each number that it lacks. `findOut` then asks OpenSearch for all of them, and the search begins again.
 */
export class AllMatches {
  readonly #instant: number
  readonly #search: CapturesSearch
  readonly #bring: (captureIds: readonly number[]) => Promise<void>
  readonly #known = new Map<string, unknown>()
  readonly #wanted = new Map<string, () => Promise<unknown>>()

  /** @param bring - brings captures into view. */
  constructor(instant: number, search: CapturesSearch, bring: (captureIds: readonly number[]) => Promise<void>) {
    this.#instant = instant
    this.#search = search
    this.#bring = bring
  }

  /** True if a number was noted that has to be read. */
  get isWanting(): boolean {
    return this.#wanted.size > 0
  }

  async findOut(): Promise<void> {
    await Promise.all([...this.#wanted].map(async ([name, ask]) => this.#known.set(name, await ask())))
    this.#wanted.clear()
  }

  /**
   * Returns the matches of a query outside the captures that core decides, which are in view.
   *
   * @param acquired - matches the captures within the window of the request.
   * @param values - the fields and dates that matches are counted by.
   */
  of(query: ContenderQuery, acquired: TermQuery, values: readonly ValueName[]): MatchesElsewhere {
    const set = this.#matchSet(query, acquired, values)
    const name = JSON.stringify(set)
    const inView = new Set(this.#undecided(set))
    return {
      leavesOut: captureId => inView.has(captureId),
      count: () =>
        this.#answer(`count ${name}`, () => this.#count(anyQuery(set.decided.map(({ matches }) => matches)))) ?? 0,
      facet: (facet, most, also) =>
        this.#answer(`facet ${name} ${JSON.stringify([facet, most, also])}`, () =>
          countFacet(facet, { classes: set.decided, search: this.#search, most, also }),
        ) ?? [],
    }
  }

  /** Throws unless the first k matches in an order are in view. */
  expectFirst(query: ContenderQuery, acquired: TermQuery, order: ValueOrder, k: number): void {
    const set = this.#matchSet(
      query,
      acquired,
      [order, ...(order.further ?? [])].map(({ name }) => name),
    )
    this.#undecided(set)
    const first = this.#answer(`first ${JSON.stringify([set, order, k])}`, async () => {
      const ofClasses = await Promise.all(
        set.decided.map(one => firstInOrder(order, { ...one, search: this.#search, k })),
      )
      const captureIds = ofClasses.flat()
      await this.#bring(captureIds)
      return captureIds
    })
    if (!first) throw unknown
  }

  /** Returns the answer to the question with a name. Undefined if it is not known; then the question is noted. */
  #answer<T>(name: string, ask: () => Promise<T>): T | undefined {
    // Cast: a name always has answers of one type.
    const known = this.#known.get(name) as T | undefined
    if (known === undefined) this.#wanted.set(name, ask)
    return known
  }

  #matchSet(asked: ContenderQuery, acquired: TermQuery, values: readonly ValueName[]): MatchSet {
    const { conditions, terms, onlyScored, published } = asked
    const instant = this.#instant
    const all: TermQuery[] = [{ range: { acquiredAt: { lte: instant } } }, acquired, isCurrent(instant)]
    if (onlyScored) all.push(hasAnyTerm(terms.map(({ term }) => term)))
    const exactFor = (source: ValueSource) => conditions.map(one => conditionQuery(one, asked, source))
    const exact = exactFor(acquiredValues)
    const inRevisions = exact.some(one => one.hasValues) ? exactFor(revisedValues(instant)) : []
    const undecided = [...exact, ...inRevisions].flatMap(one => one.undecided)
    const isRevised = { range: { revisedAt: { lte: instant } } }
    const isRevisable = exact.some(one => one.isRevisable)
    const hasValues =
      published !== undefined ||
      exact.some(one => one.hasValues) ||
      values.some(name => !('date' in name) || name.date === 'publishedAt')
    if (isRevisable) undecided.push(isRevised)
    else if (hasValues) undecided.push(allQueries([isRevised, { term: { revisedOften: true } }]))
    const classOf = (source: ValueSource, others: readonly TermQuery[], not: readonly TermQuery[]): MatchClass => {
      const filter = [...all, ...others, ...exactFor(source).map(({ query }) => query)]
      if (published === 'none') filter.push({ bool: { must_not: [source.published()] } })
      else if (published) filter.push(source.published(published))
      return { matches: { bool: { filter, must_not: [...undecided, ...not] } }, source }
    }
    const decided =
      hasValues && !isRevisable
        ? [classOf(acquiredValues, [], [isRevised]), classOf(revisedValues(instant), [isRevised], [])]
        : [classOf(acquiredValues, [], [])]
    return {
      undecided: undecided.length > 0 ? allQueries([...all, ...necessaryOf(exact), anyQuery(undecided)]) : anyQuery([]),
      decided,
    }
  }

  /** Returns the captures for which core decides whether they match. They are in view. */
  #undecided({ undecided }: MatchSet): readonly number[] {
    if ('match_none' in undecided) return []
    const found = this.#answer(`undecided ${JSON.stringify(undecided)}`, async () => {
      const [answer] = await this.#search([
        { query: undecided, size: MAX_UNDECIDED + 1, track_total_hits: false, docvalue_fields: ['id'] },
      ])
      const captureIds = answer!.hits.map(({ id }) => id)
      if (captureIds.length > MAX_UNDECIDED)
        throw unsupported(
          'counts',
          `of more than ${MAX_UNDECIDED} pages each must be read to see whether it counts, because of words that are near each other or in titles, ` +
            'or of authors and languages that changed without a new text: narrow the query, or leave out what needs all matches',
        )
      await this.#bring(captureIds)
      return captureIds
    })
    if (!found) throw unknown
    return found
  }

  async #count(query: TermQuery): Promise<number> {
    const [answer] = await this.#search([{ query, size: 0, track_total_hits: true }])
    return answer!.total
  }
}
