import {
  bodyKey,
  type CaptureSource,
  type ColumnValues,
  documentKey,
  firstNumberOfKey,
  type KeyRange,
  type PageStore,
  revisionRowsKey,
  type StoredCapture,
  urlKey,
} from '@asof/core/internal'
import type { PendingQuery, Row } from 'postgres'
import type { Bodies } from '../objects/bodies.ts'
import { type Queries, ROWS_AT_ONCE, readFromDatabase } from '../queries.ts'
import { bufferOf, intactValue, isBody, type StoredRow, storedRows } from './stored-rows.ts'

/** Number of rows that one statement reads of a long range. */
const PAGE_ROWS = 200

/** The pages of a cluster, read through one connection or in one transaction. */
export class StoredPages implements PageStore, CaptureSource {
  readonly #queries: Queries
  readonly #bodies: Bodies | undefined
  readonly #columns = new Map<number, ColumnValues>()
  /** `ClusterState.rewrites` when captures were last read from PostgreSQL. Undefined if that read found none. */
  rewrites: number | undefined

  constructor(queries: Queries, bodies: Bodies | undefined) {
    this.#queries = queries
    this.#bodies = bodies
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const values = await this.#storedValues(keys)
    if (!this.#bodies) return values
    const references = new Map<number, Uint8Array>()
    for (const [i, key] of keys.entries())
      if (isBody(key) && values[i]) references.set(firstNumberOfKey(key), values[i])
    const bodies = await this.#readBodies(references)
    return keys.map((key, i) => (isBody(key) ? bodies.get(firstNumberOfKey(key)) : values[i]))
  }

  /** Reads values from PostgreSQL. The value of a body in an object store is its reference. */
  async #storedValues(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const rows = await readFromDatabase(() => storedRows(this.#queries, keys))
    const found = new Map(rows.map(row => [row.key.toString('latin1'), intactValue(row)]))
    return keys.map(key => found.get(bufferOf(key).toString('latin1')))
  }

  async range({ gte, lt }: KeyRange): Promise<[Uint8Array, Uint8Array][]> {
    const sql = this.#queries
    const rows = await readFromDatabase(
      () => sql<StoredRow[]>`
        select key, value from value where key >= ${bufferOf(gte)} and key < ${bufferOf(lt)} order by key`,
    )
    return rows.map(row => [row.key, intactValue(row)])
  }

  /** Reads a range, {@link PAGE_ROWS} rows at a time. */
  async *pagesOf({ gte, lt }: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array][]> {
    for (let from = gte, isOver = false; !isOver; ) {
      const rows = await this.firstOf({ gte: from, lt }, PAGE_ROWS)
      if (rows.length > 0) yield rows
      isOver = rows.length < PAGE_ROWS
      // The smallest key after the last key that was read.
      if (!isOver) from = Buffer.concat([rows.at(-1)![0], Uint8Array.of(0)])
    }
  }

  /** Reads the first keys and values of a range. */
  async firstOf({ gte, lt }: KeyRange, atMost: number): Promise<[Uint8Array, Uint8Array][]> {
    const sql = this.#queries
    const rows = await readFromDatabase(
      () => sql<StoredRow[]>`
        select key, value from value where key >= ${bufferOf(gte)} and key < ${bufferOf(lt)} order by key
        limit ${atMost}`,
    )
    return rows.map(row => [row.key, intactValue(row)])
  }

  async columns(captureIds: readonly number[]): Promise<ReadonlyMap<number, ColumnValues>> {
    const sql = this.#queries
    const unknown = captureIds.filter(id => !this.#columns.has(id))
    for (let from = 0; from < unknown.length; from += ROWS_AT_ONCE) {
      const some = unknown.slice(from, from + ROWS_AT_ONCE)
      const rows = await readFromDatabase(
        () => sql<{ id: number; publishedAt: number | null; length: number }[]>`
          select id, published_at as "publishedAt", length from capture where id in ${sql(some)}`,
      )
      for (const { id, publishedAt, length } of rows)
        this.#columns.set(id, { publishedAt: publishedAt ?? undefined, length })
    }
    return this.#columns
  }

  /** Reads the histories of captures, and the documents and bodies of those in `unknown`. Leaves out captures that were deleted. */
  async captures(captureIds: readonly number[], unknown: ReadonlySet<number>): Promise<StoredCapture[]> {
    const sql = this.#queries
    const storedValue = (key: Uint8Array, name: PendingQuery<Row[]>): PendingQuery<Row[]> =>
      sql`(select value from value where key = ${bufferOf(key)} || ${name})`
    const number = sql`substring(int8send(capture.id) from 5)`
    const rows = await readFromDatabase(
      () => sql<CaptureRow[]>`
        select id, url, published_at as "publishedAt", (select rewrites from cluster_state) as rewrites,
          ${storedValue(kindOf(urlKey('')), sql`convert_to(url, 'UTF8')`)} as record,
          ${storedValue(kindOf(revisionRowsKey(0)), number)} as rows,
          case when id = any(${[...unknown]}::bigint[]) then ${storedValue(kindOf(documentKey(0)), number)} end as document,
          case when id = any(${[...unknown]}::bigint[]) then ${storedValue(kindOf(bodyKey(0)), number)} end as body
        from capture where id = any(${[...captureIds]}::bigint[])`,
    )
    this.rewrites = rows[0]?.rewrites
    const stored = new Map<number, Uint8Array>()
    for (const { id, body } of rows) if (body) stored.set(id, intactValue({ key: bufferOf(bodyKey(id)), value: body }))
    const bodies = await this.#readBodies(stored)
    return rows.map(({ id, url, publishedAt, record, rows, document }) => ({
      captureId: id,
      url,
      publishedAt: publishedAt ?? undefined,
      record: intactIfStored(urlKey(url), record),
      rows: intactIfStored(revisionRowsKey(id), rows),
      document: intactIfStored(documentKey(id), document),
      body: bodies.get(id),
    }))
  }

  /** Reads bodies. @param stored - the stored values by the number of the capture: bodies, or references to objects. */
  async #readBodies(stored: ReadonlyMap<number, Uint8Array>): Promise<ReadonlyMap<number, Uint8Array>> {
    if (!this.#bodies) return stored
    return this.#bodies.read(stored, async captureIds => {
      const now = await this.#storedValues(captureIds.map(bodyKey))
      return new Map(captureIds.flatMap((id, i) => (now[i] ? [[id, now[i]]] : [])))
    })
  }
}

/** Returns the first byte of a key: the kind of its value. */
function kindOf(key: Uint8Array): Uint8Array {
  return key.subarray(0, 1)
}

function intactIfStored(key: Uint8Array, value: Buffer | null): Uint8Array | undefined {
  return value ? intactValue({ key: bufferOf(key), value }) : undefined
}

/** A row of a capture with the requested values. */
interface CaptureRow {
  id: number
  url: string
  publishedAt: number | null
  rewrites: number
  record: Buffer | null
  rows: Buffer | null
  document: Buffer | null
  body: Buffer | null
}
