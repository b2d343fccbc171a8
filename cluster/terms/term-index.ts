import { hash } from 'node:crypto'
import { AsofError, isAsofError } from '@asof/core'
import type { Client } from '@opensearch-project/opensearch'
import { type BestQuery, bestSearch, type FoundCapture, foundCapture } from './best-captures.ts'
import { type CaptureHit, hitOf, type RawHit } from './hits.ts'
import { INDEX_MAPPINGS, INDEX_SETTINGS, type IndexLayout, LIKE_CAPTURES, writeAlias } from './index-layout.ts'
import type { JournaledChange } from './journal.ts'
import { BETWEEN, BULK_CHARS, bulkLinesOf, bulkText, type TermChanges } from './term-changes.ts'
import type { TermQuery } from './term-queries.ts'

/**
 * Time limit, ms, of a request that changes an index. It is not repeated, because the change is in the journal. If a shard is missing,
 * OpenSearch fails earlier.
 */
export const CHANGE = { requestTimeout: 40_000, maxRetries: 0 }
const SHARD_WAIT = '20s'

/** Makes a search return no stored fields. They are large: reading the number of a capture there takes longer than finding the capture. */
const WITHOUT_STORED = { stored_fields: '_none_' }

/**
 * The OpenSearch index of a cluster: which captures have which terms, how often, and when the captures are current. It names contenders and
 * counts captures; answers are made from the pages themselves.
 */
export class TermIndex {
  readonly #client: Client
  readonly #index: string
  /** The alias through which the index is changed. Requests require an alias, because OpenSearch would otherwise create a missing index. */
  readonly #alias: string
  /** Makes all requests of this server read the same copy of a shard. */
  readonly #preference = `asof-${hash('sha256', `${process.pid} ${performance.timeOrigin}`, 'hex').slice(0, 12)}`
  /**
   * The ids of the markers: one document without terms in each shard, with the number of the last change that was applied. A copy of a shard
   * whose marker has a number has all changes up to it, because the marker is written after them.
   */
  #markers: readonly string[] | undefined

  constructor(client: Client, index: string) {
    this.#client = client
    this.#index = index
    this.#alias = writeAlias(index)
  }

  /** Creates the index if it is missing. @throws ASOF_SEARCH_FAILED */
  async createIfMissing({ shards, replicas }: IndexLayout): Promise<void> {
    try {
      const { body: exists } = await this.#client.indices.exists({ index: this.#index })
      if (exists) return
      const settings = { ...INDEX_SETTINGS, 'index.number_of_shards': shards, 'index.number_of_replicas': replicas }
      // Casts here and below: the types of the client accept only literals in settings and queries, and no text as body of a bulk request.
      const body = { settings, mappings: INDEX_MAPPINGS, aliases: { [this.#alias]: {} } } as never
      await this.#client.indices.create({ index: this.#index, body }, CHANGE)
    } catch (error) {
      // Another server created the index meanwhile.
      if (!/resource_already_exists/.test(String(error))) throw searchFailed(error)
    }
  }

  /** Applies changes, oldest first, and makes them visible to searches. */
  async apply(changes: readonly JournaledChange[]): Promise<void> {
    await this.#send(changes)
    await this.show(changes.at(-1)?.number ?? 0)
  }

  /** Adds captures as they are after the change `number`. Does not overwrite what a later change did. {@link show} makes them visible to searches. */
  async copy(added: TermChanges['added'], number: number): Promise<void> {
    await this.#send([{ number, text: bulkText(number, { added, changed: [], deleted: [] }) }])
  }

  /** Makes everything that was applied and copied visible to searches. @param number - of the last change that the index has. */
  async show(number: number): Promise<void> {
    const version = { version: number, version_type: 'external_gte' }
    const markers = await this.#markersOfShards()
    const operations = markers.map(_id => [{ index: { _id, ...version } }, { ...LIKE_CAPTURES, marker: number }])
    await this.#bulk(operations.map(bulkLinesOf).join(''))
    await this.refresh()
  }

  async refresh(): Promise<void> {
    const { body } = await this.#asked(this.#client.indices.refresh({ index: this.#index }, CHANGE))
    if (body._shards?.failed !== 0) throw new Error('a copy of the term index could not be refreshed')
  }

  async #send(changes: readonly JournaledChange[]): Promise<void> {
    let request = ''
    for (const part of changes.flatMap(({ text }) => text.split(BETWEEN))) {
      if (request !== '' && request.length + part.length > BULK_CHARS) {
        await this.#bulk(request)
        request = ''
      }
      request += part
    }
    if (request !== '') await this.#bulk(request)
  }

  async #bulk(lines: string): Promise<void> {
    const request = { index: this.#alias, require_alias: true, timeout: SHARD_WAIT, body: lines as never }
    const { body } = await this.#client.bulk(request, CHANGE)
    const failed = body.items.flatMap(item => Object.values(item).filter(change => !isDone(change)))
    if (failed.some(({ error }) => error?.type === MISSING)) throw this.#lost()
    if (failed.length > 0) throw new Error(`the term index refused a change: ${JSON.stringify(failed[0]?.error)}`)
  }

  /** Waits for a request about the index. @throws ASOF_SEARCH_FAILED - OpenSearch does not have the index. */
  async #asked<T>(request: Promise<T>): Promise<T> {
    try {
      return await request
    } catch (error) {
      if (String(error).includes(MISSING)) throw this.#lost()
      throw error
    }
  }

  #lost(): AsofError {
    const text = `OpenSearch has no index ${this.#index} with the alias ${this.#alias}: run asof cluster reindex`
    return new AsofError('ASOF_SEARCH_FAILED', text, { statusCode: 503 })
  }

  /**
   * Counts the captures acquired up to an instant, and those of them that match each of several queries. Finds the captures that are current at the
   * instant and score highest. All counts are those of the same copies of the shards.
   *
   * @returns undefined if a shard did not answer, or if a copy lacks a change.
   */
  async ask(instant: number, { applied, counted, best }: TermQuestions): Promise<TermAnswers | undefined> {
    const upTo = { range: { acquiredAt: { lte: instant } } }
    const bodies: SearchBody[] = counted.map(query => ({
      size: 0,
      track_total_hits: true,
      query: { bool: { filter: [upTo, query] } },
    }))
    if (best && !best.isInParts) bodies.push(bestSearch(instant, best))
    const [asked, inParts] = await Promise.all([
      this.search(instant, { applied, bodies }),
      best?.isInParts ? this.#findInParts(bestSearch(instant, best)) : [],
    ])
    if (!asked || !inParts) return undefined
    const found = best && !best.isInParts ? asked.answers.at(-1)!.hits : inParts
    return {
      captures: asked.captures,
      counts: counted.map((_, i) => asked.answers[i]!.total),
      found: best ? found.map(one => foundCapture(one, best)) : [],
    }
  }

  /**
   * Runs searches, and counts the captures acquired up to an instant in the same copies of the shards.
   *
   * @returns undefined if a shard did not answer, or if a copy lacks a change.
   */
  async search(
    instant: number,
    { applied, bodies }: { applied: number; bodies: readonly SearchBody[] },
  ): Promise<{ captures: number; answers: IndexAnswer[] } | undefined> {
    const asked = [{ range: { marker: { gte: applied } } }, { range: { acquiredAt: { lte: instant } } }]
    const counted = asked.map(query => ({ size: 0, track_total_hits: true, query }))
    const answers = await this.#searchAll([...counted, ...bodies])
    const refused = answers.find(({ error, status }) => error && status < 500)
    if (refused) throw new Error(`OpenSearch refused a search: ${JSON.stringify(refused.error)}`)
    if (answers.length < asked.length + bodies.length || answers.some(one => one._shards?.failed !== 0))
      return undefined
    const [marked, captures, ...found] = answers.map(({ hits, aggregations = {} }) => ({
      total: hits?.total?.value ?? 0,
      hits: (hits?.hits ?? []).map(hitOf),
      aggregations,
    }))
    if (applied > 0 && marked!.total !== (await this.#markersOfShards()).length) return undefined
    return { captures: captures!.total, answers: found }
  }

  /** Checks that every shard answers a search. @throws ASOF_SEARCH_FAILED */
  async expectShards(): Promise<void> {
    const counted = await this.search(Number.MAX_SAFE_INTEGER, { applied: 0, bodies: [] }).catch((error: unknown) => {
      throw isAsofError(error) ? error : searchFailed(error)
    })
    if (counted) return
    const message = 'a shard of the index in OpenSearch does not answer: see asof cluster status'
    throw new AsofError('ASOF_SEARCH_FAILED', message, { statusCode: 503, retryable: true })
  }

  /** Runs searches. All requests of this server read the same copies of the shards. */
  async #searchAll(bodies: readonly object[]): Promise<RawAnswer[]> {
    const head = JSON.stringify({
      index: this.#index,
      preference: this.#preference,
      allow_partial_search_results: false,
    })
    // Casts: the types of the client accept only lists of objects as body, and do not have `filter_path`.
    const { body } = await this.#client.msearch({
      body: `${bodies.map(one => `${head}\n${JSON.stringify({ ...WITHOUT_STORED, ...one })}`).join('\n')}\n` as never,
      filter_path: ANSWER_PATHS,
    })
    const { responses } = body as unknown as { responses: RawAnswer[] }
    if (responses.some(({ error }) => error?.type === MISSING)) throw this.#lost()
    return responses
  }

  /** Runs a search for the best captures by the `_search` request, the only one that returns the parts of scores. */
  async #findInParts(search: SearchBody): Promise<CaptureHit[] | undefined> {
    const asked = this.#client.search({
      index: this.#index,
      preference: this.#preference,
      allow_partial_search_results: false,
      include_named_queries_score: true,
      filter_path: FOUND_PATHS,
      body: { ...WITHOUT_STORED, ...search },
    })
    const { body } = await this.#asked(asked)
    const { hits, _shards } = body as unknown as RawFound
    return _shards?.failed === 0 ? (hits?.hits ?? []).map(hitOf) : undefined
  }

  async #markersOfShards(): Promise<readonly string[]> {
    this.#markers ??= await this.#findMarkers()
    return this.#markers
  }

  /** Finds an id for the marker of each shard, by the rule that assigns documents to shards. */
  async #findMarkers(): Promise<string[]> {
    const index = this.#index
    const { body: all } = await this.#asked(this.#client.searchShards({ index }))
    const found = new Map<number, string>()
    for (let n = 0; found.size < all.shards.length; n++) {
      const id = `marker${n}`
      const { body } = await this.#client.searchShards({ index, routing: id })
      const shard = (body.shards as unknown as { shard: number }[][])[0]?.[0]?.shard
      if (shard === undefined) throw new Error('a shard of the term index has no copy')
      if (!found.has(shard)) found.set(shard, id)
    }
    return [...found.values()]
  }

  /** Reads the size of the index, bytes, and the number of its segments. */
  async size(): Promise<{ bytes: number; segments: number }> {
    try {
      const stats = this.#client.indices.stats({ index: this.#index, metric: ['store', 'segments'] })
      const { body } = await this.#asked(stats)
      const { store, segments } = body._all.primaries ?? {}
      return { bytes: store?.size_in_bytes ?? 0, segments: segments?.count ?? 0 }
    } catch (error) {
      throw isAsofError(error) ? error : searchFailed(error)
    }
  }
}

/** The questions of {@link TermIndex.ask} about the captures acquired up to an instant. */
export interface TermQuestions {
  /** The number of the last change that every copy must have. */
  applied: number
  counted: readonly TermQuery[]
  best?: BestQuery | undefined
}

export interface TermAnswers {
  /** Number of captures acquired up to the instant, superseded ones included. */
  captures: number
  /** Number of these captures that match each query. */
  counts: number[]
  /** The captures that score highest, best first; of equal scores the newest first. */
  found: FoundCapture[]
}

/** A search in the form of OpenSearch. If it names captures, it must request at least their field `id`. */
export type SearchBody = Record<string, unknown>

/** Runs searches in copies of the term index that have all changes. @throws ASOF_UNCERTAIN - there are no such copies. */
export type CapturesSearch = (bodies: readonly SearchBody[]) => Promise<IndexAnswer[]>

/** The answer to one search. */
export interface IndexAnswer {
  /** Number of captures that match, if the search requested it. */
  total: number
  hits: CaptureHit[]
  /** The aggregations by name. */
  aggregations: Record<string, Aggregated>
}

/** The value of a bucket. A bucket of a composite aggregation has several values, by name. */
type BucketKey = number | string | Record<string, number>

/** The result of an aggregation of OpenSearch. */
export interface Aggregated {
  buckets: { key: BucketKey; doc_count: number; doc_count_error_upper_bound?: number }[]
  doc_count: number
  /** The last bucket of a composite aggregation, after which the next request continues. */
  after_key?: Record<string, number>
  doc_count_error_upper_bound?: number
  sum_other_doc_count?: number
}

/** The parts of answers of OpenSearch that are read; the others are not sent. */
const ANSWER_PATHS =
  'responses.error,responses.status,responses._shards.failed,responses.hits.total.value,responses.hits.hits._score,responses.hits.hits.fields,responses.hits.hits.sort,responses.aggregations'
const FOUND_PATHS = '_shards.failed,hits.hits.sort,hits.hits.fields,hits.hits.matched_queries'

interface RawFound {
  hits?: { total?: { value: number }; hits?: RawHit[] }
  _shards?: { failed: number }
}

interface RawAnswer extends RawFound {
  aggregations?: Record<string, Aggregated>
  error?: { type?: string }
  status: number
}

/** OpenSearch's name of the failure of a request about an index that does not exist. */
const MISSING = 'index_not_found_exception'

/** True if an operation was done, or if a later change overtook it: its version conflicts, or the document is deleted. */
const isDone = ({ status = 500, error }: { status?: number; error?: { type?: string } }): boolean =>
  status < 300 || status === 409 || (status === 404 && error?.type !== MISSING)

/** @throws ASOF_SEARCH_FAILED */
export function searchFailed(cause: unknown): AsofError {
  return new AsofError('ASOF_SEARCH_FAILED', 'OpenSearch did not answer a search: see the cause, and try again', {
    cause,
  })
}
