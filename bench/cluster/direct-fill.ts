import { Client } from '@opensearch-project/opensearch'
import postgres, { type Sql } from 'postgres'
import { ClusterDatabase } from '../../cluster/stored/database.ts'
import { LENGTHS_MS } from '../../cluster/stored/statistics.ts'
import { rowOf } from '../../cluster/stored/stored-rows.ts'
import { bulkOperationsOf, type TermChanges } from '../../cluster/terms/term-changes.ts'
import { TermIndices } from '../../cluster/terms/term-indices.ts'
import { NEVER } from '../../cluster/terms/term-queries.ts'
import { isInVocabulary } from '../../cluster/terms/vocabulary.ts'
import { BLOCK, type CapturedPages, MILLION } from './captured-pages.ts'
import { CopyStream } from './copy-stream.ts'
import { CaptureEncoder, type EncodedCaptures } from './encoded-captures.ts'

/** Maximum number of terms that are remembered as written. A forgotten term is written again; the end removes duplicates. */
const MAX_KNOWN = 1_000_000
/** Maximum number of bulk requests at a time. */
const BULKS = 3

/** The primary keys and the indexes of the filled tables. They are dropped at the beginning, and created again after the last row. */
const KEYS = { value: ['key'], capture: ['id'], vocabulary: ['term'] }
const INDEXES = { capture_acquired: 'capture (acquired_at)', capture_superseded: 'capture (superseded_at, id)' }

export interface Target {
  search: string
  database: string
  name: string
  shards: number
}

/**
 * Fills an empty cluster with the rows and documents that it would have if the pages had been added some at a time, but without locks,
 * journal, refreshes and transactions: PostgreSQL by `COPY` into tables without indexes, OpenSearch by bulk requests. The document of a
 * capture has its end from the beginning, so that it is never replaced and the term index has no deleted documents.
 *
 * @param onProgress - called with the number of captures so far. If it returns false, the fill ends after the next whole million.
 * @returns the number of captures.
 */
export async function fillDirectly(
  pages: CapturedPages,
  { search, database: url, name, shards }: Target,
  onProgress: (captures: number) => boolean = () => true,
): Promise<number> {
  const database = await ClusterDatabase.open(url, name)
  const terms = await TermIndices.open(search, name, 1, { shards, replicas: 0 })
  const sql = postgres(url, { connection: { search_path: `"${name}"` }, onnotice: () => {} })
  const bulks = new Bulks(search, name)
  try {
    await bulks.begin()
    const rows = await Rows.begin(sql)
    let captures = pages.settings.pages
    const encoder = new CaptureEncoder(pages)
    for (let from = 0, number = 1; from < captures; from += BLOCK, number++) {
      const encoded = encoder.encode(from)
      await bulks.send(number, encoded.changes)
      await rows.write(encoded)
      const end = from + encoded.captures.length
      if (!onProgress(end) && end % MILLION === 0) captures = end
    }
    await bulks.end()
    await rows.end()
    const changes = Math.ceil(captures / BLOCK)
    const { acquiredAt } = pages.page(captures - 1)
    await sql`
      update cluster_state set next_capture_id = ${captures + 1}, last_stamp_at = ${acquiredAt}, urls = ${pages.urls(captures)},
        changes = ${changes}, rewrites = ${changes}`
    await sql`update applied set number = ${changes}`
    // Writes the markers, and refreshes the index.
    await terms.at(1).show(changes)
    return captures
  } finally {
    await bulks.close()
    await sql.end()
    await terms.close()
    await database.close()
  }
}

/** Writes the rows of PostgreSQL. */
class Rows {
  readonly #sql: Sql
  readonly #values: CopyStream
  readonly #captures: CopyStream
  readonly #terms: CopyStream
  /** Terms that were written lately. */
  readonly #known = new Set<string>()

  private constructor(sql: Sql, streams: readonly [CopyStream, CopyStream, CopyStream]) {
    this.#sql = sql
    ;[this.#values, this.#captures, this.#terms] = streams
  }

  static async begin(sql: Sql): Promise<Rows> {
    for (const table of Object.keys(KEYS)) await sql.unsafe(`alter table ${table} drop constraint ${table}_pkey`)
    for (const index of Object.keys(INDEXES)) await sql.unsafe(`drop index ${index}`)
    await sql`create unlogged table noted (term bytea, first_at bigint)`
    return new Rows(sql, [
      await CopyStream.into(sql, 'value', ['key', 'value']),
      await CopyStream.into(sql, 'capture', ['id', 'url', 'published_at', 'acquired_at', 'superseded_at', 'length']),
      await CopyStream.into(sql, 'noted', ['term', 'first_at']),
    ])
  }

  async write({ values, captures, terms }: EncodedCaptures): Promise<void> {
    await this.#values.write(
      values.map(({ key, value }) => {
        const row = rowOf(key, value)
        return [{ bytea: row.key }, { bytea: row.value }]
      }),
    )
    await this.#captures.write(
      captures.map(({ captureId, url, publishedAt, acquiredAt, supersededAt, length }) => [
        { bigint: captureId },
        { text: url },
        { bigint: publishedAt },
        { bigint: acquiredAt },
        { bigint: Math.min(supersededAt, NEVER) },
        { int: length },
      ]),
    )
    const unknown = [...terms].filter(([term]) => !this.#known.has(term) && isInVocabulary(term))
    if (this.#known.size > MAX_KNOWN) this.#known.clear()
    for (const [term] of unknown) this.#known.add(term)
    await this.#terms.write(unknown.map(([term, at]) => [{ bytea: Buffer.from(term) }, { bigint: at }]))
  }

  async end(): Promise<void> {
    const sql = this.#sql
    for (const stream of [this.#values, this.#captures, this.#terms]) await stream.end()
    await sql`insert into vocabulary select term, min(first_at) from noted group by term`
    await sql`drop table noted`
    for (const [table, columns] of Object.entries(KEYS))
      await sql.unsafe(`alter table ${table} add primary key (${columns.join(', ')})`)
    await this.#sumUp()
    for (const [index, on] of Object.entries(INDEXES)) await sql.unsafe(`create index ${index} on ${on}`)
    for (const table of [...Object.keys(KEYS), 'statistic']) await sql.unsafe(`vacuum analyze ${table}`)
  }

  /** Writes the statistics: first those of each instant, then their sums. All captures have a declared instant. */
  async #sumUp(): Promise<void> {
    const sql = this.#sql
    await sql`
      insert into statistic (level, at, captures, standing, standing_length, declared, urls)
      select 0, at, sum(captures), sum(standing), sum(length), sum(captures), sum(urls)
      from (
        select acquired_at as at, 1 as captures, 1 as standing, length, 0 as urls from capture
        union all select superseded_at, 0, -1, -length, 0 from capture where superseded_at < ${NEVER}
        union all select min(acquired_at), 0, 0, 0, 1 from capture group by url
      ) as change group by at`
    for (const [level, lengthMs] of LENGTHS_MS.entries())
      if (level > 0)
        await sql`
          insert into statistic (level, at, captures, standing, standing_length, declared, urls)
          select ${level}::int, floor(at::numeric / ${lengthMs}::bigint) as stretch, sum(captures), sum(standing),
            sum(standing_length), sum(declared), sum(urls)
          from statistic where level = 0 group by stretch`
  }
}

/** Sends bulk requests, a few at a time. */
class Bulks {
  readonly #client: Client
  readonly #index: string
  readonly #underWay = new Set<Promise<void>>()
  #failure: unknown

  constructor(search: string, index: string) {
    this.#client = new Client({ node: search, requestTimeout: 600_000 })
    this.#index = index
  }

  /** Prepares the index. Until the end, OpenSearch need not sync what it receives. */
  async begin(): Promise<void> {
    await this.#settings({ 'index.translog.durability': 'async', 'index.translog.flush_threshold_size': '1gb' })
  }

  async send(number: number, changes: TermChanges): Promise<void> {
    const body = `${bulkOperationsOf(number, changes)
      .flatMap(operation => operation.map(line => JSON.stringify(line)))
      .join('\n')}\n`
    const sent = this.#bulk(body)
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#underWay.delete(sent))
    this.#underWay.add(sent)
    if (this.#underWay.size >= BULKS) await Promise.race(this.#underWay)
    this.#expectSuccess()
  }

  async end(): Promise<void> {
    await Promise.all(this.#underWay)
    this.#expectSuccess()
    await this.#settings({ 'index.translog.durability': null, 'index.translog.flush_threshold_size': null })
    await this.#client.indices.flush({ index: this.#index })
  }

  async close(): Promise<void> {
    await Promise.all(this.#underWay)
    await this.#client.close()
  }

  async #bulk(body: string): Promise<void> {
    // Casts: the types of the client want lists of objects, and literals in settings.
    const { body: answer } = await this.#client.bulk({ index: this.#index, body: body as never, filter_path: 'errors' })
    if (answer.errors) throw new Error('OpenSearch refused a capture')
  }

  async #settings(settings: Record<string, unknown>): Promise<void> {
    await this.#client.indices.putSettings({ index: this.#index, body: settings as never })
  }

  #expectSuccess(): void {
    if (this.#failure) throw this.#failure
  }
}
