import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FolderDamage, filesOf, liveDescriptor } from './folder-check.ts'
import { Damage, damageOf } from './level-reader.ts'
import { batchOf, type LevelEntry, readLog } from './log-file.ts'
import { TableFile } from './table-file.ts'

export interface SalvageOptions {
  /** Called for every part that cannot be read. */
  onDamage: (damage: FolderDamage) => void
  /** Returns true if a value is undamaged. Otherwise the next older value of the key is used. */
  isIntact: (key: Uint8Array, value: Uint8Array) => boolean
}

/**
 * Reads all keys of a damaged LevelDB folder in ascending order, each with its newest undamaged value. LevelDB's own
 * repair ignores checksums, and drops a table whose end is missing.
 *
 * If the descriptor does not match the files, all files are read. Recently deleted values may then reappear.
 */
export async function* salvage(
  location: string,
  { onDamage, isIntact }: SalvageOptions,
): AsyncGenerator<[key: Uint8Array, value: Uint8Array]> {
  const { tables, logs } = await filesToRead(location, onDamage)
  const open: TableFile[] = []
  try {
    const sources: AsyncIterator<LevelEntry[]>[] = []
    for (const file of logs) sources.push(logEntries(location, file, onDamage))
    for (const file of tables) {
      const table = await TableFile.open(join(location, file))
      open.push(table)
      sources.push(table.blocks(what => onDamage({ file, what })))
    }
    let settled: Uint8Array | undefined
    for await (const { key, value } of inOrder(sources)) {
      if (settled && Buffer.compare(settled, key) === 0) continue
      if (value && !isIntact(key, value)) continue
      settled = key
      if (value) yield [key, value]
    }
  } finally {
    for (const table of open) await table.close()
  }
}

async function filesToRead(
  location: string,
  onDamage: (damage: FolderDamage) => void,
): Promise<{ tables: string[]; logs: string[] }> {
  const files = await filesOf(location)
  const all = { tables: [...files.tables.values()], logs: [...files.logs.values()] }
  try {
    const { descriptor } = await liveDescriptor(location)
    const isWhole =
      [...descriptor.tables.keys()].every(number => files.tables.has(number)) &&
      (descriptor.logNumber === 0 || files.logs.has(descriptor.logNumber))
    if (!isWhole) return all
    return {
      tables: [...files.tables].filter(([number]) => descriptor.tables.has(number)).map(([, name]) => name),
      logs: [...files.logs].filter(([number]) => number >= descriptor.logNumber).map(([, name]) => name),
    }
  } catch (error) {
    onDamage({ file: 'CURRENT', what: damageOf(error) })
    return all
  }
}

async function* logEntries(
  location: string,
  file: string,
  onDamage: (damage: FolderDamage) => void,
): AsyncGenerator<LevelEntry[]> {
  const { records, damagedAt } = readLog(await readFile(join(location, file)))
  if (damagedAt !== undefined) onDamage({ file, what: `a record at byte ${damagedAt} is damaged` })
  const entries: LevelEntry[] = []
  for (const record of records)
    try {
      entries.push(...batchOf(record))
    } catch (error) {
      if (!(error instanceof Damage)) throw error
      onDamage({ file, what: `a batch can't be read: ${error.message}` })
    }
  yield entries.sort(byKey)
}

/** Orders entries by key, then the newest first. */
function byKey(a: LevelEntry, b: LevelEntry): number {
  return Buffer.compare(a.key, b.key) || b.sequence - a.sequence
}

interface Cursor {
  source: AsyncIterator<LevelEntry[]>
  entries: LevelEntry[]
  at: number
}

/** Merges sorted sources into one sorted sequence. */
async function* inOrder(sources: readonly AsyncIterator<LevelEntry[]>[]): AsyncGenerator<LevelEntry> {
  const heap: Cursor[] = []
  for (const source of sources) {
    const cursor = { source, entries: [], at: 0 }
    if (await fill(cursor)) heap.push(cursor)
  }
  const precedes = (a: Cursor, b: Cursor): boolean => byKey(a.entries[a.at]!, b.entries[b.at]!) < 0
  const sink = (from: number): void => {
    for (let at = from; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && precedes(heap[child]!, heap[least]!)) least = child
      if (least === at) return
      ;[heap[at], heap[least]] = [heap[least]!, heap[at]!]!
      at = least
    }
  }
  for (let at = heap.length >>> 1; at >= 0; at--) sink(at)
  while (heap.length > 0) {
    const first = heap[0]!
    yield first.entries[first.at++]!
    if (first.at === first.entries.length && !(await fill(first))) {
      const last = heap.pop() as Cursor
      if (last !== first) heap[0] = last
    }
    sink(0)
  }
}

/** Reads the next entries. Returns false if there are none. */
async function fill(cursor: Cursor): Promise<boolean> {
  for (;;) {
    const { value, done } = await cursor.source.next()
    if (done) return false
    cursor.entries = value
    cursor.at = 0
    if (value.length > 0) return true
  }
}
