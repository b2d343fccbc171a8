import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '@asof/extract/errors'
import { compareInternal } from './block-shape.ts'
import { type Descriptor, type LiveTable, readDescriptor, TRAILER_BYTES } from './descriptor.ts'
import { Damage, damageOf } from './level-reader.ts'
import { readLog } from './log-file.ts'
import { TableFile } from './table-file.ts'

/** A damaged part of a LevelDB folder. */
export interface FolderDamage {
  /** Name of the file in the folder. */
  file: string
  /** Description of the damage. */
  what: string
}

/**
 * How thoroughly tables are verified. Index, filters and the shape of every block are always verified, unless the table
 * is skipped.
 */
export interface CheckDepth {
  /**
   * Returns true if the checksum of a block must be verified.
   *
   * @param from - the first byte of the block's first key.
   * @param to - the first byte of the block's last key.
   */
  sums: (from: number, to: number) => boolean
  /**
   * Returns true if a table has not changed since it was last verified, given its file name. The table is then skipped.
   */
  isKnown?: (name: string) => Promise<boolean>
}

/** Number of tables that are verified at the same time, because libuv has 4 threads. */
const TABLES_AT_ONCE = 4

const namePattern = /^(?:(\d+)\.(ldb|sst|log)|MANIFEST-(\d+))$/

/** The files of a LevelDB folder by kind. */
export interface FolderFiles {
  current: boolean
  descriptors: string[]
  tables: Map<number, string>
  logs: Map<number, string>
}

/** True for the names of files that only a database has. LevelDB makes its lock and its message log anywhere. */
export function isDatabaseFile(name: string): boolean {
  return name === 'CURRENT' || namePattern.test(name)
}

/** True for the names of tables, which LevelDB never changes once they are complete. */
export function isTableFile(name: string): boolean {
  return ['ldb', 'sst'].includes(namePattern.exec(name)?.[2] ?? '')
}

export async function filesOf(location: string): Promise<FolderFiles> {
  const files: FolderFiles = { current: false, descriptors: [], tables: new Map(), logs: new Map() }
  for (const name of await readdir(location)) {
    if (name === 'CURRENT') files.current = true
    const match = namePattern.exec(name)
    if (!match) continue
    if (match[3] !== undefined) files.descriptors.push(name)
    else if (match[2] === 'log') files.logs.set(Number(match[1]), name)
    else files.tables.set(Number(match[1]), name)
  }
  return files
}

/**
 * Reads the descriptor that the file CURRENT names.
 *
 * @throws Damage - the descriptor cannot be read. LevelDB would create a new database, or fail to open this one.
 */
export async function liveDescriptor(location: string): Promise<{ name: string; descriptor: Descriptor }> {
  const current = Buffer.from(await readPresent(location, 'CURRENT')).toString('latin1')
  if (!/^MANIFEST-\d+\n$/.test(current)) throw new Damage('CURRENT names no descriptor')
  const name = current.trimEnd()
  try {
    return { name, descriptor: readDescriptor(await readPresent(location, name)) }
  } catch (error) {
    throw new Damage(`${name}: ${damageOf(error)}`)
  }
}

/**
 * @throws Damage - the file is missing.
 */
async function readPresent(location: string, name: string): Promise<Uint8Array> {
  try {
    return await readFile(join(location, name))
  } catch (error) {
    if (isMissing(error)) throw new Damage(`${name} is missing`)
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}

/**
 * Verifies the files of a LevelDB database that no process has open. LevelDB verifies few checksums itself: it skips
 * damaged log records, and if CURRENT is missing it creates a new database and deletes the old files.
 *
 * @returns the damage; empty if there is none, or if the folder has no database.
 */
export async function checkFolder(location: string, depth: CheckDepth): Promise<FolderDamage[]> {
  const files = await filesOf(location)
  // If a crash interrupts the creation of a database, only the first descriptor remains.
  if (!files.current && files.tables.size + files.logs.size === 0) return []
  const found: FolderDamage[] = []
  let descriptor: Descriptor
  try {
    ;({ descriptor } = await liveDescriptor(location))
  } catch (error) {
    return [{ file: 'CURRENT', what: damageOf(error) }]
  }
  // LevelDB keeps a log until the descriptor names a newer one. So the named log must exist.
  if (descriptor.logNumber > 0 && !files.logs.has(descriptor.logNumber))
    found.push({ file: `${digitsOf(descriptor.logNumber)}.log`, what: 'it is missing' })
  for (const [number, name] of files.logs) {
    if (number < descriptor.logNumber) continue
    const what = await logDamage(location, name)
    if (what !== undefined) found.push({ file: name, what })
  }
  const tables = [...descriptor.tables.values()].values()
  const checkTables = async (): Promise<void> => {
    for (const table of tables) {
      const name = files.tables.get(table.number)
      if (name !== undefined && (await depth.isKnown?.(name))) continue
      const what = name === undefined ? 'it is missing' : await tableDamage(join(location, name), table, depth)
      if (what !== undefined) found.push({ file: name ?? `${digitsOf(table.number)}.ldb`, what })
    }
  }
  // Several tables are in progress, so that one is read while another is verified.
  await Promise.all(Array.from({ length: TABLES_AT_ONCE }, checkTables))
  return found.sort((a, b) => (a.file < b.file ? -1 : 1))
}

async function logDamage(location: string, name: string): Promise<string | undefined> {
  try {
    const { damagedAt } = readLog(await readPresent(location, name))
    return damagedAt === undefined ? undefined : `a record at byte ${damagedAt} is damaged`
  } catch (error) {
    return damageOf(error)
  }
}

async function tableDamage(path: string, table: LiveTable, depth: CheckDepth): Promise<string | undefined> {
  let file: TableFile
  try {
    file = await TableFile.open(path)
  } catch (error) {
    if (isMissing(error)) return 'it is missing'
    throw error
  }
  try {
    if (file.bytes !== table.bytes) return `it has ${file.bytes} bytes of ${table.bytes}`
    const blocks = await file.index()
    // The exclusive lower bound is the internal key just before the table's smallest key.
    if (blocks.length > 0) blocks[0]!.after = justBefore(table.smallest)
    const last = blocks.at(-1)
    // The block index may name a key greater than the last key of the table, so the last key is the tighter bound.
    if (last && compareInternal(table.largest, table.largest.length, last.upTo, last.upTo.length) < 0)
      last.upTo = table.largest
    await file.verify(blocks, ({ after, upTo }) => depth.sums((after ?? upTo)[0]!, upTo[0]!))
    return undefined
  } catch (error) {
    return damageOf(error)
  } finally {
    await file.close()
  }
}

/**
 * Returns an internal key that sorts just before another one: the same user key with a trailer greater by one, since LevelDB
 * sorts trailers in descending order. The first byte of a trailer is a kind of 0 or 1, so there is no carry.
 */
function justBefore(key: Uint8Array): Uint8Array {
  const before = Uint8Array.from(key)
  before[before.length - TRAILER_BYTES]!++
  return before
}

function digitsOf(number: number): string {
  return String(number).padStart(6, '0')
}
