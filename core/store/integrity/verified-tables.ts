import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Name of the file, in LevelDB's folder. LevelDB ignores it. */
const FILE = 'TABLES'

/**
 * The identities of the table files when asof last closed the folder, by name. LevelDB never changes a table. So a table with the same
 * identity need not be verified at the next opening. Verifying takes seconds in a large index.
 */
export type VerifiedTables = ReadonlyMap<string, string>

/**
 * Returns the identity of a file: properties in the file system that change when a program writes to the file or replaces it. Empty if
 * there is no file, because a process that has the folder open may have deleted it after it was listed.
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

/** Reads the file. If it is missing or cannot be read, returns an empty map, and all tables are verified. */
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

/** Writes the file, for a folder that no process has open. If writing fails, all tables are verified at the next opening. */
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
