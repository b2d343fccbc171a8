import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Beside LevelDB's files, which pays no heed to a file of this name. */
const FILE = 'TABLES'

/**
 * The table files as they were when this asof last closed the folder, by name. LevelDB never changes a table, so one
 * that the file system says is untouched since need not be looked through when the folder is opened again: in a large
 * index that would take seconds.
 */
export type VerifiedTables = ReadonlyMap<string, string>

/**
 * What the file system knows of a file that changes when anyone writes to it, or puts another in its place; empty when
 * there is none, as a process that has the folder open may delete any file between a listing and this.
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

/** What was noted; nothing when there is no note, or none that can be read: then all tables are looked through. */
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

/** Notes the tables of a folder that no process has open. Failing to is no harm: they are looked through next time. */
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
