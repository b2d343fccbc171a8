import { hash } from 'node:crypto'
import { AsofError } from '@asof/core'
import { type IndexedCapture, loadOptional } from '@asof/core/internal'
import type { Client } from '@opensearch-project/opensearch'
import { clusterPackages } from './cluster-packages.ts'

/** What a batch changes in the term index. Doing it again, or after a later batch, changes nothing. */
export interface TermChanges {
  added: { id: number; terms: string; length: number; acquiredAt: number; supersededAt: number }[]
  superseded: { id: number; supersededAt: number }[]
  deleted: number[]
}

/** A query of OpenSearch. */
export type TermQuery = Record<string, unknown>

/** The `supersededAt` of a capture that is current. Later than every instant. */
export const NEVER = 9e15

/**
 * The increase of the denominator of a term's saturation by one word of a page, in the term index. A search uses another one, by the
 * average length as of its instant; the further apart the two are, the more candidates a proof takes.
 */
export const INDEXED_SLOPE = 1 / 320

/** Separates the terms of one slot, see {@link termsText}. No term contains it. */
const AND = '\u0001'

const SETTINGS = {
  // A search sees what was refreshed after a batch, and only that.
  'index.refresh_interval': '-1',
  'index.max_result_window': 10_000,
  // Deletions are remembered for longer than any request of a dead writer can be on its way.
  'index.gc_deletes': '1h',
  'index.similarity.asof': {
    type: 'scripted',
    weight_script: { source: 'return query.boost;' },
    script: { source: `return weight * doc.freq / (doc.freq + 1.0 + ${INDEXED_SLOPE} * doc.length);` },
  },
  'index.analysis': {
    tokenizer: { slots: { type: 'whitespace', max_token_length: 1_000_000 } },
    filter: { each: { type: 'pattern_capture', preserve_original: false, patterns: [`([^${AND}]+)`] } },
    analyzer: { terms: { type: 'custom', tokenizer: 'slots', filter: ['each'] } },
  },
}

const MAPPINGS = {
  dynamic: false,
  properties: {
    terms: { type: 'text', analyzer: 'terms', similarity: 'asof', index_options: 'freqs' },
    acquiredAt: { type: 'long' },
    supersededAt: { type: 'long' },
    length: { type: 'integer', index: false },
  },
}

/** Time after which a search that OpenSearch does not answer is given up. It is tried once more, perhaps on another node. */
const SEARCH_MS = 10_000
/** The same for a change, which is not tried again: it is in the journal. OpenSearch itself gives up earlier, if a shard is missing. */
const CHANGE = { requestTimeout: 40_000, maxRetries: 0 }
const SHARD_WAIT = '20s'

/** Most bytes of one bulk request. */
const BULK_BYTES = 8 * 1024 * 1024

/**
 * The OpenSearch index of a cluster: which captures have which terms, how often, and when they are current. It only proposes candidates
 * and counts; what an answer says comes from the pages themselves.
 */
export class TermIndex {
  readonly #client: Client
  readonly #index: string
  /** Makes all requests of this server read the same copy of a shard. */
  readonly #preference = `asof-${hash('sha256', `${process.pid} ${performance.timeOrigin}`, 'hex').slice(0, 12)}`

  private constructor(client: Client, index: string) {
    this.#client = client
    this.#index = index
  }

  /** Opens the index, and creates it if it is missing. @throws ASOF_PACKAGE_MISSING, ASOF_SEARCH_FAILED */
  static async open(
    search: string | readonly string[],
    index: string,
    { shards, replicas }: { shards: number; replicas: number },
  ) {
    const { Client } = await loadOptional(clusterPackages, () => import('@opensearch-project/opensearch'))
    const client = new Client({ nodes: [search].flat(), requestTimeout: SEARCH_MS, maxRetries: 1 })
    try {
      const { body: exists } = await client.indices.exists({ index })
      if (!exists) {
        const settings = { ...SETTINGS, 'index.number_of_shards': shards, 'index.number_of_replicas': replicas }
        try {
          await client.indices.create({ index, body: { settings, mappings: MAPPINGS } as never }, CHANGE)
        } catch (error) {
          // Another server was faster.
          if (!/resource_already_exists/.test(String(error))) throw error
        }
      }
    } catch (error) {
      await client.close()
      throw searchFailed(error)
    }
    return new TermIndex(client, index)
  }

  /** Applies batches, oldest first, and makes them visible to searches. */
  async apply(batches: readonly { number: number; changes: TermChanges }[]): Promise<void> {
    let lines: string[] = []
    let bytes = 0
    const send = async (): Promise<void> => {
      if (lines.length === 0) return
      const request = { index: this.#index, timeout: SHARD_WAIT, body: `${lines.join('\n')}\n` as never }
      const { body } = await this.#client.bulk(request, CHANGE)
      const failed = body.items.flatMap(item => Object.values(item).filter(({ status }) => !isDone(status)))
      if (failed.length > 0) throw new Error(`the term index refused a change: ${JSON.stringify(failed[0]?.error)}`)
      lines = []
      bytes = 0
    }
    for (const { number, changes } of batches)
      for (const operation of operationsOf(number, changes)) {
        const text = operation.map(line => JSON.stringify(line))
        lines.push(...text)
        bytes += text.reduce((sum, { length }) => sum + length, 0)
        if (bytes > BULK_BYTES) await send()
      }
    await send()
    const { body } = await this.#client.indices.refresh({ index: this.#index }, CHANGE)
    if (body._shards?.failed !== 0) throw new Error('a copy of the term index could not be refreshed')
  }

  /**
   * Counts the captures up to an instant that fulfill each of several queries, and all of them first.
   *
   * @returns undefined if a shard did not answer.
   */
  async counts(instant: number, queries: readonly TermQuery[]): Promise<number[] | undefined> {
    const upTo = { range: { acquiredAt: { lte: instant } } }
    const bodies = [[], ...queries.map(query => [query])].map(filter => ({
      size: 0,
      track_total_hits: true,
      query: { bool: { filter: [upTo, ...filter] } },
    }))
    const head = { index: this.#index, preference: this.#preference, allow_partial_search_results: false }
    const { body } = await this.#client.msearch({ body: bodies.flatMap(one => [head, one]) as never })
    const answers = body.responses as unknown as { hits?: { total: { value: number } }; _shards?: { failed: number } }[]
    const totals = answers.flatMap(({ hits, _shards }) => (hits && !_shards?.failed ? hits.total.value : []))
    return totals.length === answers.length ? totals : undefined
  }

  /**
   * Returns the captures that are current at an instant and score highest in the term index, and the number of captures up to the
   * instant, from the same copies. Undefined if a shard did not answer.
   */
  async best(instant: number, { terms, filter, atLeastOne, size }: BestQuery): Promise<BestCaptures | undefined> {
    const should = terms.map(({ term, boost }, t) => ({
      term: { terms: { value: indexedTerm(term), boost, _name: String(t) } },
    }))
    const current = [{ range: { acquiredAt: { lte: instant } } }, isCurrent(instant)]
    const body = {
      size,
      track_total_hits: false,
      _source: false,
      docvalue_fields: ['length'],
      query: { bool: { should, minimum_should_match: atLeastOne ? 1 : 0, filter: [...current, ...filter] } },
    }
    const request = { index: this.#index, preference: this.#preference, include_named_queries_score: true, body }
    const [counts, { body: answer }] = await Promise.all([
      this.counts(instant, []),
      this.#client.search({ ...request, allow_partial_search_results: false } as never),
    ])
    const { hits, _shards } = answer as unknown as { hits?: { hits: RawHit[] }; _shards?: { failed: number } }
    if (!counts || !hits || _shards?.failed) return undefined
    const found = hits.hits.map(({ _id, _score, fields, matched_queries = {} }) => ({
      id: Number(_id),
      score: _score,
      length: fields.length[0],
      byTerm: Object.entries(matched_queries).map(([t, score]) => ({ term: Number(t), score })),
    }))
    return { captures: counts[0]!, found }
  }

  /** The size of the index. */
  async size(): Promise<{ bytes: number; segments: number }> {
    try {
      const { body } = await this.#client.indices.stats({ index: this.#index, metric: ['store', 'segments'] as never })
      const { store, segments } = body._all.primaries ?? {}
      return { bytes: store?.size_in_bytes ?? 0, segments: segments?.count ?? 0 }
    } catch (error) {
      throw searchFailed(error)
    }
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

/** A search for the captures that score highest. */
interface BestQuery {
  terms: readonly { term: string; boost: number }[]
  filter: readonly TermQuery[]
  /** True if captures must have one of the terms. */
  atLeastOne: boolean
  size: number
}

/** The captures that score highest in the term index. */
interface BestCaptures {
  /** Number of captures up to the instant. */
  captures: number
  /** Best first, with the weighted number of words, and what each term of the query adds to the score. */
  found: { id: number; score: number; length: number; byTerm: { term: number; score: number }[] }[]
}

interface RawHit {
  _id: string
  _score: number
  fields: { length: [number] }
  matched_queries?: Record<string, number>
}

/** True if a change was made, or a later batch has already overtaken it: version conflict, or deleted. */
const isDone = (status: number | undefined): boolean =>
  status !== undefined && (status < 300 || status === 404 || status === 409)

/** Changes `supersededAt` unless a later batch did. */
const SUPERSEDE = `
  if (ctx._source.batch < params.batch) { ctx._source.batch = params.batch; ctx._source.supersededAt = params.at }
  else { ctx.op = 'none' }`

/**
 * The bulk operations of a batch. A capture is indexed and deleted with the number of its batch as external version; an update raises the
 * version by one, so it never passes the number of the last batch that changed the capture.
 */
function operationsOf(batch: number, { added, superseded, deleted }: TermChanges): object[][] {
  const version = { version: batch, version_type: 'external_gte' }
  return [
    ...added.map(({ id, supersededAt, ...capture }) => [
      { index: { _id: String(id), ...version } },
      { ...capture, batch, supersededAt: Math.min(supersededAt, NEVER) },
    ]),
    ...superseded.map(({ id, supersededAt }) => [
      { update: { _id: String(id), retry_on_conflict: 3 } },
      { script: { source: SUPERSEDE, params: { batch, at: Math.min(supersededAt, NEVER) } } },
    ]),
    ...deleted.map(id => [{ delete: { _id: String(id), ...version } }]),
  ]
}

/** The changes of the term index by a change of pages. */
export function termChanges(captures: readonly IndexedCapture[], deleted: readonly number[]): TermChanges {
  const changes: TermChanges = { added: [], superseded: [], deleted: [...deleted] }
  for (const { captureId: id, frequencies, acquiredAt, supersededAt, length } of captures) {
    // JSON has no Infinity.
    const until = Math.min(supersededAt, NEVER)
    if (frequencies)
      changes.added.push({ id, terms: termsText(frequencies, length), length, acquiredAt, supersededAt: until })
    else changes.superseded.push({ id, supersededAt: until })
  }
  return changes
}

/**
 * The terms of a capture as a text for the analyzer of the index: as many slots as the capture has words, so that its length there is
 * that of core, with all its terms as often as they occur spread over them. Their order has no meaning.
 */
function termsText(frequencies: ReadonlyMap<string, number>, length: number): string {
  const slots: string[] = Array.from({ length: Math.max(1, length) }, () => '')
  let next = 0
  for (const [term, frequency] of frequencies)
    for (let i = 0; i < frequency; i++) {
      const at = next++ % slots.length
      slots[at] = slots[at] === '' ? indexedTerm(term) : `${slots[at]}${AND}${indexedTerm(term)}`
    }
  return slots.join(' ')
}

/** Longest term that is indexed as it is, UTF-16 units. Lucene takes 32,766 bytes. */
const LONGEST = 8_000

/** A term of core as a term of the index: without white space, which separates slots, and not too long. */
export function indexedTerm(term: string): string {
  const text = /[\s%\u0001\u001c-\u001f]/.test(term)
    ? term.replace(/[\s%\u0001\u001c-\u001f]/g, encodeURIComponent)
    : term
  return text.length > LONGEST ? `${text.slice(0, 100)}%${hash('sha256', text, 'hex')}` : text
}

/** The captures that contain a term. */
export function hasTerm(term: string): TermQuery {
  return { term: { terms: indexedTerm(term) } }
}

/** The captures that contain a term within some edits of another one, with the same first letter. */
export function hasNearTerm(term: string, edits: number): TermQuery {
  // All terms, not only the nearest, which may be in later captures.
  return { fuzzy: { terms: { value: term, fuzziness: edits, prefix_length: 1, rewrite: 'constant_score' } } }
}

/** The captures that are current at an instant. */
export function isCurrent(instant: number): TermQuery {
  return { range: { supersededAt: { gt: instant } } }
}

/** @throws ASOF_SEARCH_FAILED */
export function searchFailed(cause: unknown): AsofError {
  return new AsofError('ASOF_SEARCH_FAILED', 'OpenSearch did not answer a search: see the cause, and try again', {
    cause,
  })
}
