import { type OrderKey, sortableNumber, type TermRange, type ValueOrder } from '@asof/core/internal'
import type { Aggregated, CapturesSearch } from '../terms/term-index.ts'
import type { TermQuery } from '../terms/term-queries.ts'
import { MAX_COUNTED_VALUES, prefixOf, tooMany } from './facet-query.ts'
import type { MatchClass } from './value-source.ts'

/** Maximum number of captures that one request names. */
const CAPTURES_AT_ONCE = 5_000

/** The order of captures with equal values: the newest first, then by URL. */
const TIES = [{ acquiredAt: 'desc' }, { url: 'asc' }]

/** Sorts after every instant, in place of a missing date. */
const LATEST = 9e15
/** Sorts after every term, in place of a missing value. */
const LAST_TERM = '\uffff'

/** A key of an order as OpenSearch sorts by it. Captures without a value come last. */
interface SortKey {
  sort: object
  /** Returns a value as OpenSearch sorts by it. @param value - null if a capture has no value. */
  placeOf: (value: number | null) => number | string
}

interface OrderRequest extends MatchClass {
  search: CapturesSearch
  /** Number of captures. */
  k: number
}

/** The sort values of the capture after which a query begins, for `search_after` of OpenSearch. */
type SortValues = readonly (number | string)[]

/** Finds the first k matches in an order by value. @throws ASOF_UNSUPPORTED, ASOF_UNCERTAIN */
export function firstInOrder(order: ValueOrder, request: OrderRequest): Promise<number[]> {
  return new FirstInOrder(order, request).find()
}

class FirstInOrder {
  readonly #order: ValueOrder
  readonly #request: OrderRequest
  readonly #found: number[] = []

  constructor(order: ValueOrder, request: OrderRequest) {
    this.#order = order
    this.#request = request
  }

  async find(): Promise<number[]> {
    const { name, further, after } = this.#order
    // An order by one field of captures as they were acquired needs no script for each match: the index of values is faster.
    if (further || 'date' in name || !this.#request.source.isAcquired) await this.#readByKeys()
    else {
      const prefix = prefixOf(name)
      const tied = after && [after.acquiredAt, after.url]
      const value = after && after.value !== null ? prefix + sortableNumber(after.value) : undefined
      if (value !== undefined) {
        await this.#read([this.#havingValue(value), not(this.#ranked(prefix, value, true))], { after: tied })
        await this.#readByValue(prefix, [not(this.#ranked(prefix, value, false))])
      } else if (!after) await this.#readByValue(prefix, [])
      await this.#read([not(this.#having({ prefix }))], { after: after?.value === null ? tied : undefined })
    }
    return this.#found
  }

  /** Adds the first captures in an order by one or more keys, of which OpenSearch sorts all matches. */
  async #readByKeys(): Promise<void> {
    const { further = [], after } = this.#order
    const keys = [this.#order, ...further].map(key => this.#sortKey(key))
    const values = after && [after.value, ...(after.further ?? [])]
    await this.#read([], {
      sort: [...keys.map(({ sort }) => sort), ...TIES],
      after: values && [...keys.map(({ placeOf }, i) => placeOf(values[i]!)), after!.acquiredAt, after!.url],
    })
  }

  #sortKey({ name, isDescending }: OrderKey): SortKey {
    const { source } = this.#request
    if ('date' in name && (name.date === 'acquiredAt' || source.isAcquired)) {
      const missing = isDescending ? -LATEST : LATEST
      const sort = { [name.date]: { order: isDescending ? 'desc' : 'asc', missing } }
      return { sort, placeOf: value => value ?? missing }
    }
    const prefix = prefixOf(name)
    const missing = isDescending ? '' : LAST_TERM
    return {
      sort: source.extreme(prefix, { isGreatest: isDescending, missing }),
      placeOf: value => (value === null ? missing : prefix + sortableNumber(value)),
    }
  }

  /** Number of captures that are still to be found. */
  get #left(): number {
    return this.#request.k - this.#found.length
  }

  #having(range: TermRange): TermQuery {
    return this.#request.source.having([], [range])
  }

  #havingValue(term: string): TermQuery {
    return this.#request.source.having([term], [])
  }

  /** The captures with a value before `term` in the order. @param isOpen - if false, also those with `term` itself. */
  #ranked(prefix: string, term: string, isOpen: boolean): TermQuery {
    const end = { term, isOpen }
    const range: TermRange = this.#order.isDescending ? { prefix, from: end } : { prefix, to: end }
    return this.#having(range)
  }

  /** Adds captures that have values. Those with the first value in the order come first, whatever other values they have. */
  async #readByValue(prefix: string, filter: readonly TermQuery[]): Promise<void> {
    if (this.#left <= 0) return
    const matches = [this.#request.matches, this.#having({ prefix }), ...filter]
    for (let size = Math.min(MAX_COUNTED_VALUES, this.#left); ; size = Math.min(MAX_COUNTED_VALUES, 8 * size)) {
      const order = { _key: this.#order.isDescending ? 'desc' : 'asc' }
      const aggs = { values: { terms: { ...this.#request.source.counted(prefix), order, size } } }
      const query = { bool: { filter: matches } }
      const [answer] = await this.#request.search([{ query, size: 0, track_total_hits: false, aggs }])
      const { buckets } = answer!.aggregations.values!
      const enough = await this.#firstEnough(prefix, buckets, matches)
      if (enough < buckets.length || buckets.length < size) {
        const values = buckets.slice(0, enough + 1).map(({ key }) => String(key))
        return this.#readThrough(prefix, values, matches)
      }
      if (size === MAX_COUNTED_VALUES) throw tooMany(prefix)
    }
  }

  /**
   * Returns the index of the first bucket up to which there are enough captures; the number of buckets if all have too few. If each capture
   * has one value, the sum of `doc_count` decides. It counts a capture with several values several times, so exact counts of OpenSearch
   * check the index, and a binary search corrects it.
   */
  async #firstEnough(prefix: string, buckets: Aggregated['buckets'], filter: readonly TermQuery[]): Promise<number> {
    const left = this.#left
    let guess = 0
    for (let sum = 0; guess < buckets.length; guess++) {
      sum += buckets[guess]!.doc_count
      if (sum >= left) break
    }
    if (guess === buckets.length) return guess
    const isEnough = async (value: number): Promise<boolean> =>
      (await this.#count([...filter, this.#ranked(prefix, String(buckets[value]!.key), false)])) >= left
    if (await isEnough(guess)) return guess
    let tooFew = guess
    let enough = buckets.length
    while (enough - tooFew > 1) {
      const middle = (tooFew + enough) >>> 1
      if (await isEnough(middle)) enough = middle
      else tooFew = middle
    }
    return enough
  }

  /** Adds all captures with a value before the last of `values`, then the first ones with the last. @param values - the first of the order. */
  async #readThrough(prefix: string, values: readonly string[], filter: readonly TermQuery[]): Promise<void> {
    const last = values.at(-1)
    if (last === undefined) return
    const before = this.#ranked(prefix, last, true)
    await this.#read([...filter, before], {})
    await this.#read([...filter, this.#havingValue(last), not(before)], {})
  }

  /** Adds the first captures that fulfill all of some queries. */
  async #read(
    filter: readonly TermQuery[],
    { sort = TIES, after }: { sort?: readonly object[]; after?: SortValues | undefined },
  ): Promise<void> {
    const query = { bool: { filter: [this.#request.matches, ...filter] } }
    for (let from = after; this.#left > 0; ) {
      const size = Math.min(CAPTURES_AT_ONCE, this.#left)
      const page = { query, size, sort, track_total_hits: false, docvalue_fields: ['id'] }
      const [answer] = await this.#request.search([{ ...page, search_after: from }])
      const { hits } = answer!
      this.#found.push(...hits.map(({ id }) => id))
      if (hits.length < size) return
      from = hits.at(-1)!.sort
    }
  }

  async #count(filter: readonly TermQuery[]): Promise<number> {
    const [answer] = await this.#request.search([{ query: { bool: { filter } }, size: 0, track_total_hits: true }])
    return answer!.total
  }
}

const not = (query: TermQuery): TermQuery => ({ bool: { must_not: [query] } })
