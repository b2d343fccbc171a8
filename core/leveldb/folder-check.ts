import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compareInternal } from './block-shape.ts'
import { type Descriptor, type LiveTable, readDescriptor, TRAILER_BYTES } from './descriptor.ts'
import { Damage, damageOf } from './fields.ts'
import { readLog } from './log-file.ts'
import { TableFile } from './table-file.ts'

/** Something in a folder of LevelDB that is not what was written there. */
export interface FolderDamage {
  /** Name of the file in the folder. */
  file: string
  what: string
}

/** How much of the tables to verify: indexes, filters and the shape of every block always are. */
export interface CheckDepth {
  /** Whether to verify the checksums of blocks with keys from `from` to `to` (first bytes). */
  sums: (from: number, to: number) => boolean
  /** Whether a table, by the name of its file, is known to be what was written, so that it need not be looked into. */
  isKnown?: (name: string) => Promise<boolean>
}

/** As many as libuv has threads. */
const TABLES_AT_ONCE = 4

const namePattern = /^(?:(\d+)\.(ldb|sst|log)|MANIFEST-(\d+))$/

/** The files of a LevelDB folder by what they are. */
export interface FolderFiles {
  current: boolean
  descriptors: string[]
  tables: Map<number, string>
  logs: Map<number, string>
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
 * The descriptor that CURRENT names.
 *
 * @throws Damage - it can't be read, and LevelDB would begin a new database or refuse this one.
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
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/**
 * Verifies the folder of a LevelDB database that no process has open. LevelDB itself looks at few of its checksums: it
 * passes over damaged records of a log and begins anew, deleting what it does not know, where CURRENT is missing.
 *
 * @returns what is damaged; empty when all is sound, and for a folder that holds no database.
 */
export async function checkFolder(location: string, depth: CheckDepth): Promise<FolderDamage[]> {
  const files = await filesOf(location)
  // A crash while a database is made leaves its first descriptor and nothing else.
  if (!files.current && files.tables.size + files.logs.size === 0) return []
  const found: FolderDamage[] = []
  let descriptor: Descriptor
  try {
    ;({ descriptor } = await liveDescriptor(location))
  } catch (error) {
    return [{ file: 'CURRENT', what: damageOf(error) }]
  }
  // A new descriptor is written with its log beside it, and a log goes only when another is named.
  if (descriptor.logNumber > 0 && !files.logs.has(descriptor.logNumber))
    found.push({ file: `${numbered(descriptor.logNumber)}.log`, what: 'it is missing' })
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
      if (what !== undefined) found.push({ file: name ?? `${numbered(table.number)}.ldb`, what })
    }
  }
  // What one reads is verified while the others read.
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
    // No key comes before the least: but for its trailer, which counts down, that is the bound.
    if (blocks.length > 0) blocks[0]!.after = justBefore(table.smallest)
    const last = blocks.at(-1)
    // The index may name a key behind the last one; the next table of its level begins there.
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

/** A key right before another in the order of tables: newer by one. */
function justBefore(key: Uint8Array): Uint8Array {
  const before = Uint8Array.from(key)
  before[before.length - TRAILER_BYTES]!++
  return before
}

function numbered(number: number): string {
  return String(number).padStart(6, '0')
}
