import { randomUUID } from 'node:crypto'
import { bodyKey } from '@asof/core/internal'
import type { Bodies, NewObject } from '../objects/bodies.ts'
import { type BodyReference, encodeReference } from '../objects/body-reference.ts'
import { type ClusterDatabase, lockedState } from './database.ts'
import { addObjects, free, referencesIn } from './object-rows.ts'
import { rowOf, storedRows } from './stored-rows.ts'

/** Maximum number of objects that one statement deletes or looks up. */
const OBJECTS_AT_ONCE = 1_000
/** Age, ms, from which an object without references does not belong to a change that is still being made. */
const ABANDONED_MS = 24 * 60 * 60 * 1000

/** Deletes objects, and parts of them, that no page refers to. Each step can be repeated after a crash. */
export class UnusedObjects {
  readonly #database: ClusterDatabase
  readonly #bodies: Bodies

  constructor(database: ClusterDatabase, bodies: Bodies) {
    this.#database = database
    this.#bodies = bodies
  }

  /**
   * Copies the used bodies of objects of which less than half is used into new objects, and deletes objects that are not used at all. Does
   * nothing if another server is doing so.
   */
  async delete(): Promise<void> {
    await this.#database.change(async tx => {
      const [{ isFree }] = await tx<[{ isFree: boolean }]>`
        select pg_try_advisory_xact_lock(hashtext(current_schema() || ' objects')) as "isFree"`
      if (!isFree) return
      const wasteful = await this.#database.read(
        sql => sql<{ name: string; captures: number[] }[]>`
          select name, captures from object where live * 2 < bytes and live > 0`,
      )
      for (const { name, captures } of wasteful) await this.#writeAgain(name, captures)
      while ((await this.#deleteSome()) === OBJECTS_AT_ONCE);
    })
  }

  /**
   * Deletes objects to which no transaction can see a reference: all snapshots of the database must be newer than the change that deleted the
   * last reference, which is the rule by which PostgreSQL vacuums rows.
   */
  async #deleteSome(): Promise<number> {
    const rows = await this.#database.read(
      sql => sql<{ name: string }[]>`
        select name from object
        where live * 2 < bytes and live = 0 and age(xmin) > coalesce((
          select max(age(backend_xmin)) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_xmin is not null), -1)
        limit ${OBJECTS_AT_ONCE}`,
    )
    const names = rows.map(({ name }) => name)
    if (names.length === 0) return 0
    await this.#bodies.store.delete(names.map(name => this.#bodies.keyOf(name)))
    await this.#database.read(sql => sql`delete from object where name in ${sql(names)}`)
    return names.length
  }

  /** Copies the used bodies of an object into a new object. */
  async #writeAgain(name: string, captures: readonly number[]): Promise<void> {
    const keys = captures.map(bodyKey)
    const used = usedIn(name, referencesIn(await this.#database.read(sql => storedRows(sql, keys))))
    const bytes = await this.#bodies.store.get(this.#bodies.keyOf(name))
    const end = Math.max(0, ...[...used.values()].map(({ at, length }) => at + length))
    // A missing or truncated object is left alone, so that reads report it.
    if (used.size === 0 || !bytes || bytes.length < end) return
    const copy = copied(bytes, used)
    await this.#bodies.put([copy])
    await this.#database.change(async tx => {
      await lockedState(tx)
      // Some bodies may have been deleted, or moved by another server, since the references were read.
      const left = usedIn(name, referencesIn(await storedRows(tx, keys)))
      await addObjects(tx, [copy])
      const moved = [...copy.references].filter(([captureId]) => left.has(captureId))
      for (const [captureId, reference] of moved) {
        const { key, value } = rowOf(bodyKey(captureId), encodeReference(reference))
        await tx`update value set value = ${value} where key = ${key}`
      }
      const length = moved.reduce((sum, [, reference]) => sum + reference.length, 0)
      await free(
        tx,
        new Map([
          [name, length],
          [copy.name, copy.bytes.length - length],
        ]),
      )
    })
  }

  /**
   * Deletes objects that were put for changes that were never made.
   *
   * @param now - the time of this server, epoch ms.
   * @returns the number deleted.
   */
  async sweep(now: number): Promise<number> {
    let deleted = 0
    let some: { key: string; name: string }[] = []
    const deleteUnknown = async (): Promise<void> => {
      const names = some.map(({ name }) => name)
      const known = await this.#database.read(
        sql => sql<{ name: string }[]>`select name::text from object where name::text = any(${names}::text[])`,
      )
      const isKnown = new Set(known.map(({ name }) => name))
      const unknown = some.filter(({ name }) => !isKnown.has(name)).map(({ key }) => key)
      await this.#bodies.store.delete(unknown)
      deleted += unknown.length
      some = []
    }
    for await (const listed of this.#bodies.list()) {
      if (listed.putAt < now - ABANDONED_MS) some.push(listed)
      if (some.length === OBJECTS_AT_ONCE) await deleteUnknown()
    }
    await deleteUnknown()
    return deleted
  }
}

function usedIn(name: string, references: ReadonlyMap<number, BodyReference>): Map<number, BodyReference> {
  return new Map([...references].filter(([, { object }]) => object === name))
}

/** Returns a new object with some bodies of another one. They stay encrypted with the same keys. */
function copied(bytes: Uint8Array, references: ReadonlyMap<number, BodyReference>): NewObject {
  const name = randomUUID() as string
  const parts: Uint8Array[] = []
  const copies = new Map<number, BodyReference>()
  let at = 0
  for (const [captureId, reference] of references) {
    parts.push(bytes.subarray(reference.at, reference.at + reference.length))
    copies.set(captureId, { ...reference, object: name, at })
    at += reference.length
  }
  return { name, bytes: Buffer.concat(parts), references: copies }
}
