import { chmod, mkdir } from 'node:fs/promises'
import { AsofError } from '@asof/core'
import { Journal, type JournalSnapshot, rangeUnder } from './journal.ts'
import {
  boundsOf,
  keyText,
  type MakeChange,
  type RecordChange,
  type RecordKey,
  type RecordLocks,
  type RecordSelection,
  type RecordStore,
  type RecordTable,
  recordPosition,
} from './records.ts'

/** The records in a folder, for one process. Changes that arrive together share a synced write. */
export class JournalRecords implements RecordStore {
  readonly isShared = false
  readonly #journal: Journal
  /** What is not on disk yet: the writes of the latest change of each key of the journal. */
  readonly #unwritten: Map<string, ReadonlyMap<string, unknown>>
  /** The latest write that has not ended. */
  #writing: Promise<void> | undefined
  readonly #locks = new Map<string, ProcessLocks>()
  /** Settles when all changes that have begun have their writes in {@link #unwritten}. */
  #changes: Promise<unknown> = Promise.resolve()

  private constructor(journal: Journal, unwritten: Map<string, ReadonlyMap<string, unknown>>) {
    this.#journal = journal
    this.#unwritten = unwritten
  }

  /**
   * Opens the records in a folder. Creates the folder if it is missing, and makes it private.
   *
   * @param what - the content of the folder for error messages.
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  static async open(dir: string, what = 'the records'): Promise<JournalRecords> {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await chmod(dir, 0o700)
    const unwritten = new Map<string, ReadonlyMap<string, unknown>>()
    return new JournalRecords(await Journal.open(dir, () => unwritten.clear(), what), unwritten)
  }

  async define(): Promise<void> {}

  async find<Value>(table: RecordTable<Value>, id: RecordKey): Promise<Value | undefined> {
    return this.#journal.read(keyOf(table, keyText(id))) as Value | undefined
  }

  async findAll<Value>(table: RecordTable<Value>, ids: readonly RecordKey[]): Promise<Value[]> {
    return ids.flatMap(id => (this.#journal.read(keyOf(table, keyText(id))) as Value | undefined) ?? [])
  }

  async list<Value, By extends string>(
    table: RecordTable<Value, By>,
    { limit, reverse, ...selection }: RecordSelection<By> & { limit: number; reverse?: boolean },
  ): Promise<Value[]> {
    const { gt, lt } = boundsOf(selection)
    const prefix = prefixOf(table, selection.by)
    const all = rangeUnder(prefix)
    const state = this.#journal.snapshot()
    try {
      const between = { gt: all.gt + gt, lt: lt === undefined ? all.lt : all.gt + lt }
      const listed = await state.list(between, { limit, reverse })
      if (selection.by === undefined) return listed as Value[]
      return listed.map(id => {
        const record = state.read(keyOf(table, id as string))
        if (record !== undefined) return record as Value
        throw new AsofError('ASOF_STORE_CORRUPT', `a record (${table.name}) is missing; restore a backup`)
      })
    } finally {
      await state.close()
    }
  }

  async count(table: RecordTable<never>): Promise<number> {
    let count = 0
    for await (const _ of this.#journal.records(rangeUnder(table.name))) count++
    return count
  }

  async change<Result>(make: MakeChange<Result>): Promise<Result> {
    // One change at a time is made, and sees those before it. Their writes are awaited together.
    const made = this.#changes.then(() => this.#make(make))
    this.#changes = made.catch(() => {})
    const { result, written } = await made
    await written
    return result
  }

  async #make<Result>(make: MakeChange<Result>): Promise<{ result: Result; written: Promise<void> | undefined }> {
    this.#journal.assertUsable()
    const change = new JournalChange(key => {
      const writes = this.#unwritten.get(key)
      return writes ? writes.get(key) : this.#journal.read(key)
    })
    const result = await make(change)
    // A change that writes nothing may have seen what is not on disk yet. Writes end in their order.
    return { result, written: change.writes.size > 0 ? this.#write(change.writes) : this.#writing }
  }

  #write(writes: ReadonlyMap<string, unknown>): Promise<void> {
    const writing = this.#journal.commit(writes).finally(() => {
      for (const key of writes.keys()) if (this.#unwritten.get(key) === writes) this.#unwritten.delete(key)
      if (this.#writing === writing) this.#writing = undefined
    })
    for (const key of writes.keys()) this.#unwritten.set(key, writes)
    this.#writing = writing
    return writing
  }

  async locks(what: string): Promise<RecordLocks> {
    const locks = this.#locks.get(what) ?? new ProcessLocks(this)
    this.#locks.set(what, locks)
    return locks
  }

  alone<Result>(_name: string, work: () => Promise<Result>): Promise<Result> {
    return work()
  }

  snapshot(): JournalSnapshot {
    return this.#journal.snapshot()
  }

  async close(): Promise<void> {
    await this.#changes
    await this.#journal.close()
  }
}

/** Returns where the journal has the records of a table, or its entries for a key, which have the ids of the records. */
function prefixOf({ name }: RecordTable<never>, by: string | undefined): string {
  return by === undefined ? name : `${name}.${by}`
}

/** Returns the key of a record in the journal. @param id - the text of its id. */
function keyOf(table: RecordTable<never>, id: string): string {
  return `${prefixOf(table, undefined)}/${id}`
}

class JournalChange implements RecordChange {
  readonly writes = new Map<string, unknown>()
  readonly #before: (key: string) => unknown

  /** @param before - returns what the journal has under a key before this change. */
  constructor(before: (key: string) => unknown) {
    this.#before = before
  }

  async find<Value>(table: RecordTable<Value>, id: RecordKey): Promise<Value | undefined> {
    return this.#find(table, keyText(id))
  }

  async findAll<Value>(table: RecordTable<Value>, ids: readonly RecordKey[]): Promise<Value[]> {
    return ids.flatMap(id => this.#find(table, keyText(id)) ?? [])
  }

  async add<Value>(table: RecordTable<Value>, record: Value): Promise<boolean> {
    const id = keyText(table.id(record))
    if (this.#find(table, id) !== undefined) return false
    this.#replace(table, id, record)
    return true
  }

  async put<Value>(table: RecordTable<Value>, ...records: readonly Value[]): Promise<void> {
    for (const record of records) this.#replace(table, keyText(table.id(record)), record)
  }

  async delete(table: RecordTable<never>, ...ids: readonly RecordKey[]): Promise<void> {
    for (const id of ids) this.#replace(table, keyText(id), undefined)
  }

  #find<Value>(table: RecordTable<Value>, id: string): Value | undefined {
    const key = keyOf(table, id)
    return (this.writes.has(key) ? this.writes.get(key) : this.#before(key)) as Value | undefined
  }

  #replace<Value>(table: RecordTable<Value>, id: string, record: Value | undefined): void {
    const before = entriesOf(table, this.#find(table, id))
    const after = entriesOf(table, record)
    for (const key of before) if (!after.includes(key)) this.writes.set(key, undefined)
    for (const key of after) if (!before.includes(key)) this.writes.set(key, id)
    this.writes.set(keyOf(table, id), record)
  }
}

/** Returns the keys of the entries for a record in the journal. */
function entriesOf<Value>(table: RecordTable<Value>, record: Value | undefined): string[] {
  if (record === undefined) return []
  return Object.keys(table.keys).flatMap(by => {
    const position = recordPosition(table, by, record)
    return position === undefined ? [] : `${prefixOf(table, by)}/${position}`
  })
}

/** The locks of the only process that uses the records. */
class ProcessLocks implements RecordLocks {
  readonly #records: JournalRecords
  readonly #locked = new Set<string>()
  /** The changes of {@link changeUnlocked}, by name. */
  readonly #changing = new Map<string, Promise<unknown>>()

  constructor(records: JournalRecords) {
    this.#records = records
  }

  async lock(name: string): Promise<boolean> {
    await this.#unchanged(name)
    if (this.#locked.has(name)) return false
    this.#locked.add(name)
    return true
  }

  async unlock(name: string): Promise<void> {
    this.#locked.delete(name)
  }

  async isLocked(name: string): Promise<boolean> {
    return this.#locked.has(name)
  }

  async isLockedHere(name: string): Promise<boolean> {
    return this.#locked.has(name)
  }

  change<Result>(_name: string, make: MakeChange<Result>): Promise<Result> {
    return this.#records.change(make)
  }

  async changeUnlocked<Result>(name: string, make: MakeChange<Result>): Promise<Result | undefined> {
    await this.#unchanged(name)
    if (this.#locked.has(name)) return undefined
    const made = this.#records.change(make)
    this.#changing.set(name, made)
    try {
      return await made
    } finally {
      this.#changing.delete(name)
    }
  }

  /** Waits for the end of changes. */
  async #unchanged(name: string): Promise<void> {
    for (let change = this.#changing.get(name); change; change = this.#changing.get(name)) await change.catch(() => {})
  }
}
