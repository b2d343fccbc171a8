import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '@asof/extract/errors'
import { isTableFile } from '../../leveldb/folder-check.ts'

/** Name of the file, in LevelDB's folder. LevelDB ignores it. */
const FILE = 'TABLES'

/**
 * Identities of LevelDB's table files, by name, as they were when asof last closed the folder. LevelDB never changes a
 * table. So a table with an equal identity is not verified again, which saves seconds in a large index.
 */
export type VerifiedTables = ReadonlyMap<string, string>

/**
 * Returns a text that changes when a program writes to a file or replaces it. Returns '' if the file is missing, which
 * happens if another process deletes it after it was listed.
 */
export async function fileIdentityOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return [ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}

/** Reads the stored identities. Returns an empty map if they cannot be read; then all tables are verified. */
export async function readVerifiedTables(location: string): Promise<VerifiedTables> {
  let lines: string[]
  try {
    lines = (await readFile(join(location, FILE), 'utf8')).split('\n')
  } catch (error) {
    if (codeOf(error) !== undefined) return new Map()
    throw error
  }
  return new Map(
    lines
      .filter(line => line !== '')
      .map(line => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  )
}

/**
 * Stores the identities of all tables. No process may have the folder open. If writing fails, the next opening verifies
 * all tables.
 */
export async function writeVerifiedTables(location: string): Promise<void> {
  const path = join(location, FILE)
  try {
    const names = (await readdir(location)).filter(isTableFile)
    const lines = await Promise.all(names.map(async name => `${name} ${await fileIdentityOf(join(location, name))}\n`))
    await writeFile(`${path}.tmp`, lines.join(''), { mode: 0o600 })
    await rename(`${path}.tmp`, path)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    await rm(path, { force: true }).catch(() => {})
  }
}
