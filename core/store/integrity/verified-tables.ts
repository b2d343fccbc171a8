import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A file beside LevelDB's own, which LevelDB ignores. */
const FILE = 'TABLES'

/**
 * The identities of the table files, by name, when asof last closed the folder. LevelDB never changes a table. So a table
 * that has the same identity when the folder is opened again need not be verified, which takes seconds in a large index.
 */
export type VerifiedTables = ReadonlyMap<string, string>

/**
 * The identity of a file: properties in the file system that change when anyone writes to the file or replaces it. Empty
 * if there is no file: a process that has the folder open may delete it after it was listed.
 */
export async function identityOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return [ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

/** Reads the file. Returns an empty map if it is missing or cannot be read; then all tables are verified. */
export async function readVerifiedTables(location: string): Promise<VerifiedTables> {
  let lines: string[]
  try {
    lines = (await readFile(join(location, FILE), 'utf8')).split('\n')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return new Map()
    throw error
  }
  return new Map(
    lines
      .filter(line => line !== '')
      .map(line => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  )
}

/** Writes the file for a folder that no process has open. If that fails, all tables are verified next time. */
export async function writeVerifiedTables(location: string): Promise<void> {
  const path = join(location, FILE)
  try {
    const names = (await readdir(location)).filter(name => /^\d+\.(?:ldb|sst)$/.test(name))
    const lines = await Promise.all(names.map(async name => `${name} ${await identityOf(join(location, name))}\n`))
    await writeFile(`${path}.tmp`, lines.join(''))
    await rename(`${path}.tmp`, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    await rm(path, { force: true }).catch(() => {})
  }
}
