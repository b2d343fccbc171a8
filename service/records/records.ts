import type { JournalSnapshot } from './journal.ts'

/**
 * The parts of a key, of which the first ones count most in the order. A part is always a text, or always a number, which is whole and not
 * negative. Numbers sort by their values. Texts sort in one order in all stores, but a text need not sort before a longer one that begins
 * with it.
 */
export type RecordKey = readonly (string | number)[]

/** A table of records of one kind, such as payments. A record is written as JSON. */
export interface RecordTable<Value, By extends string = string> {
  /** Unique in a store, and in a database. */
  readonly name: string
  /** Returns what identifies a record. What may be longer than 2,000 bytes must be hashed, because PostgreSQL cannot index it. */
  readonly id: (record: Value) => RecordKey
  /** Further keys, by which records are listed. Several records may have an equal key. A record whose key is undefined is not listed by it. */
  readonly keys: Readonly<Record<By, (record: Value) => RecordKey | undefined>>
}

/** Which records of a table are listed. */
export interface RecordSelection<By extends string> {
  /** The name of the key that orders the records; those with an equal key are ordered by their ids. Default: the id alone. */
  by?: By
  /** Only keys that begin with these parts. */
  under?: RecordKey
  /** Only records after a position, see {@link recordPosition}. The text of a key is a position before all records with this key. */
  after?: string
}

/** What a change reads and writes. It sees what it has written. */
export interface RecordChange {
  /** Returns a record. Nobody else changes it before this change has ended; but somebody may add one that is missing. */
  find<Value>(table: RecordTable<Value>, id: RecordKey): Promise<Value | undefined>
  /** Returns the records with some ids as `find` does, in any order and without those that are missing. */
  findAll<Value>(table: RecordTable<Value>, ids: readonly RecordKey[]): Promise<Value[]>
  /** Stores a new record. Of several changes that add one id at once, also by several servers, one does. @returns false if there is a record with this id. */
  add<Value>(table: RecordTable<Value>, record: Value): Promise<boolean>
  /** Stores records, each in the place of the one with its id, if there is one. No two of them may have one id. */
  put<Value>(table: RecordTable<Value>, ...records: readonly Value[]): Promise<void>
  delete(table: RecordTable<never>, ...ids: readonly RecordKey[]): Promise<void>
}

/** Makes a change. It may run again if another change was in its way, so it must have no other effect, and wait for nothing else. */
export type MakeChange<Result> = (change: RecordChange) => Promise<Result>

/** Locks that requests hold while they run, by the names of what they use. A lock ends with its process. */
export interface RecordLocks {
  /** @returns false if another request has the lock. @throws ASOF_STORE_WRITE | ASOF_LEASE_LOST */
  lock(name: string): Promise<boolean>
  /** Ends a lock of this process. If the store cannot be reached, the lock ends when it can. */
  unlock(name: string): Promise<void>
  /** @throws ASOF_STORE_READ */
  isLocked(name: string): Promise<boolean>
  /** True if a request of this process has the lock. */
  isLockedHere(name: string): Promise<boolean>
  /**
   * Makes a change for a request of this process that has the lock.
   *
   * @throws ASOF_LEASE_LOST - this server was not heard of for too long, and its lock has ended. Nothing was stored.
   * @throws as `RecordStore.change` does.
   */
  change<Result>(name: string, make: MakeChange<Result>): Promise<Result>
  /** Makes a change unless a request has the lock. None gets it before the change has ended. @returns undefined if a request has it. */
  changeUnlocked<Result>(name: string, make: MakeChange<Result>): Promise<Result | undefined>
}

/** Durable records, in a folder for one process or in a database of several servers. */
export interface RecordStore {
  /** True if other processes may use the same records. */
  readonly isShared: boolean
  /**
   * Makes tables that are missing. Must be called before they are used.
   *
   * @param name - what consists of these tables, such as `payments`; unique in a database.
   * @throws ASOF_STORE_WRITE | ASOF_STORE_FORMAT
   */
  define(name: string, tables: readonly RecordTable<never>[]): Promise<void>
  /** Returns the record with an id, as it is on disk. @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT */
  find<Value>(table: RecordTable<Value>, id: RecordKey): Promise<Value | undefined>
  /** Returns the records with some ids, in any order and without those that are missing. @throws as `find` does. */
  findAll<Value>(table: RecordTable<Value>, ids: readonly RecordKey[]): Promise<Value[]>
  /** Returns the first selected records, or the last ones if `reverse` is true, from one state of the store. @throws as `find` does. */
  list<Value, By extends string>(
    table: RecordTable<Value, By>,
    selection: RecordSelection<By> & { limit: number; reverse?: boolean },
  ): Promise<Value[]>
  /** Returns the number of records in a table. Takes time in proportion to it. @throws as `find` does. */
  count(table: RecordTable<never>): Promise<number>
  /**
   * Makes a change: either all that it writes is stored, or nothing. It is on disk when the promise resolves.
   *
   * @throws ASOF_STORE_WRITE - nothing was stored; or the store cannot be reached, and it is not known yet.
   * @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT - and what `make` itself throws. Nothing was stored.
   */
  change<Result>(make: MakeChange<Result>): Promise<Result>
  /** @param what - what the names of these locks are, such as `payment`. @throws ASOF_STORE_WRITE | ASOF_STORE_FORMAT */
  locks(what: string): Promise<RecordLocks>
  /** Runs work while no other server runs work of this name. */
  alone<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  /** Takes a snapshot of all records for a backup. Returns undefined if they are in a database, of which the operator makes backups. */
  snapshot(): JournalSnapshot | undefined
  close(): Promise<void>
}

const PAGE = 1_000
const DIGITS = String(Number.MAX_SAFE_INTEGER).length
/** What separates parts, what marks an escape, and what a text of PostgreSQL cannot have. */
const special = /[/%\p{Cc}\p{Cs}]/gu

/** Returns a text for a key. Different keys have different texts. Stores sort keys by the bytes of these texts in UTF-8. */
export function keyText(key: RecordKey): string {
  return key.map(part => (typeof part === 'number' ? digitsOf(part) : escaped(part))).join('/')
}

function digitsOf(number: number): string {
  if (!Number.isSafeInteger(number) || number < 0) throw new TypeError(`${number} is not a whole number from 0`)
  return String(number).padStart(DIGITS, '0')
}

function escaped(text: string): string {
  if (text === '') return '%'
  return text.replace(special, character => `%${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Returns the position of a record in the order of a key, or of the id if `by` is undefined; undefined if the record is not listed by it. */
export function recordPosition<Value>(
  { id, keys }: RecordTable<Value>,
  by: string | undefined,
  record: Value,
): string | undefined {
  const key = by === undefined ? [] : keys[by]?.(record)
  return key && keyText([...key, ...id(record)])
}

/** Returns the positions between which selected records are, both excluded. `lt` is undefined if there is no last one. */
export function boundsOf({ under, after }: RecordSelection<string>): { gt: string; lt: string | undefined } {
  // A position continues with '/' after the parts of its key, and '0' is the character after '/'.
  const start = under && keyText(under)
  return { gt: after ?? (start === undefined ? '' : `${start}/`), lt: start && `${start}0` }
}

/**
 * Yields all selected records in order, some at a time, so that they are never all in memory. Records that are stored meanwhile are among
 * them if they are after those that were read.
 *
 * @param limit - maximum number of records that are read at a time. Default 1,000.
 */
export async function* pagesOf<Value, By extends string>(
  records: RecordStore,
  table: RecordTable<Value, By>,
  { limit = PAGE, ...selection }: RecordSelection<By> & { limit?: number } = {},
): AsyncGenerator<Value[], void, undefined> {
  for (let { after } = selection; ; ) {
    const page = await records.list(table, { ...selection, after, limit })
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = recordPosition(table, selection.by, last)
  }
}

/** Returns all selected records in order. */
export async function allOf<Value, By extends string>(
  records: RecordStore,
  table: RecordTable<Value, By>,
  selection: RecordSelection<By>,
): Promise<Value[]> {
  const all: Value[] = []
  for await (const page of pagesOf(records, table, selection)) all.push(...page)
  return all
}
