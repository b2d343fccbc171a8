import { Client } from '@opensearch-project/opensearch'
import type { CapturedPages } from './captured-pages.ts'

const MAPPINGS = {
  dynamic: false,
  properties: {
    text: { type: 'text', similarity: 'like_asof', index_options: 'freqs' },
    url: { type: 'keyword', index: false },
    acquiredAt: { type: 'long' },
    supersededAt: { type: 'long' },
  },
}
const SETTINGS = { 'index.refresh_interval': '-1', 'index.similarity.like_asof': { type: 'BM25', k1: 2, b: 0.5 } }
const NEVER = 9e15
const PAGES_AT_ONCE = 1_000

/**
 * An index of OpenSearch with the same captures, as one would make it without asof: BM25 with the statistics of OpenSearch, which also count
 * captures after the instant, and a date filter.
 */
export class PlainIndex {
  readonly #client: Client
  readonly #index: string

  private constructor(client: Client, index: string) {
    this.#client = client
    this.#index = index
  }

  /** Opens the index, and creates it if it is missing. */
  static async open(search: string, index: string, shards: number): Promise<PlainIndex> {
    const client = new Client({ node: search, requestTimeout: 120_000 })
    const settings = { ...SETTINGS, 'index.number_of_shards': shards, 'index.number_of_replicas': 0 }
    const { body: isThere } = await client.indices.exists({ index })
    if (isThere) return new PlainIndex(client, index)
    // Casts: the types of the client want literals in settings and queries.
    await client.indices.create({ index, body: { settings, mappings: MAPPINGS } as never })
    return new PlainIndex(client, index)
  }

  /** Adds the first captures, unless the index has them. @param captures - number of captures. */
  async fill(pages: CapturedPages, captures: number): Promise<void> {
    const { body: before } = await this.#client.count({ index: this.#index })
    if (before.count === captures) return
    console.error('… writing the plain index')
    for (let from = 0; from < captures; from += PAGES_AT_ONCE) {
      const lines = pages
        .range(from, Math.min(captures, from + PAGES_AT_ONCE))
        .flatMap(({ number, url, title, text, acquiredAt }) => [
          { index: { _id: String(number) } },
          { text: `${title} ${text}`, url, acquiredAt, supersededAt: pages.supersededAt(number) ?? NEVER },
        ])
      const { body } = await this.#client.bulk({ index: this.#index, body: lines })
      if (body.errors) throw new Error('OpenSearch refused a page')
    }
    await this.#client.indices.refresh({ index: this.#index })
  }

  /** Returns the URLs of the best pages that were current at an instant. */
  async search(words: string, limit: number, instant: number | undefined): Promise<string[]> {
    const filter =
      instant === undefined
        ? [{ range: { supersededAt: { gte: NEVER } } }]
        : [{ range: { acquiredAt: { lte: instant } } }, { range: { supersededAt: { gt: instant } } }]
    const { body } = await this.#client.search({
      index: this.#index,
      body: {
        size: limit,
        track_total_hits: false,
        _source: false,
        docvalue_fields: ['url'],
        query: { bool: { must: { match: { text: words } }, filter } },
      } as never,
    })
    const { hits } = body as unknown as { hits: { hits: { fields: { url: [string] } }[] } }
    return hits.hits.map(({ fields }) => fields.url[0])
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}
