import { mkdir, open, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AsofError } from './errors.ts'

/** A file that marks an unfinished folder, to distinguish the rest of an interrupted backup from other folders. */
const MARK = 'UNFINISHED'

/** Folders that this process is creating. */
const making = new Set<string>()

/**
 * Creates a folder, readable by this user alone, with everything that `fill` writes, or not at all. Until it is complete, it
 * has the name `<folder>.partial`. An unfinished folder of an interrupted call is replaced.
 *
 * @param folder - must not exist, or be empty.
 * @throws ASOF_BACKUP_TARGET - the folder is not empty or cannot be created.
 */
export async function intoNewFolder<T>(folder: string, fill: (partial: string) => Promise<T>): Promise<T> {
  const target = resolve(folder)
  const partial = `${target}.partial`
  if (making.has(target)) throw targetError(target, 'is already being created')
  making.add(target)
  try {
    await expectFree(target)
    await begin(partial)
    try {
      const result = await fill(partial)
      await rm(join(partial, MARK))
      await syncFolder(partial)
      await replaceEmpty(partial, target)
      await syncFolder(dirname(target))
      return result
    } catch (error) {
      await rm(partial, { recursive: true, force: true })
      throw error
    }
  } finally {
    making.delete(target)
  }
}

async function expectFree(target: string): Promise<void> {
  let names: string[]
  try {
    names = await readdir(target)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw targetError(target, codeOf(error) === 'ENOTDIR' ? 'is not a folder' : 'cannot be read', error)
  }
  if (names.length > 0) throw targetError(target, 'is not empty')
}

async function begin(partial: string): Promise<void> {
  try {
    if (await isUnfinished(partial)) await rm(partial, { recursive: true })
    await mkdir(dirname(partial), { recursive: true })
    await mkdir(partial, { mode: 0o700 })
    await writeFile(join(partial, MARK), `${basename(partial)} is an unfinished backup and can be deleted.\n`)
  } catch (error) {
    throw targetError(partial, codeOf(error) === 'EEXIST' ? 'already exists' : 'cannot be created', error)
  }
}

async function isUnfinished(partial: string): Promise<boolean> {
  const names = await readdir(partial).catch((error: unknown): string[] => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  return names.includes(MARK)
}

async function replaceEmpty(partial: string, target: string): Promise<void> {
  try {
    // Some systems do not allow renaming a folder to the name of an empty one.
    await rmdir(target).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
    await rename(partial, target)
  } catch (error) {
    throw targetError(target, 'was created by someone else in the meantime', error)
  }
}

/** Makes the names in a folder durable, if the system supports it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch((error: unknown) => {
    // Windows cannot open folders, and does not need this.
    if (codeOf(error) === 'EISDIR' || codeOf(error) === 'EPERM') return undefined
    throw error
  })
  if (!handle) return
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function targetError(path: string, what: string, cause?: unknown): AsofError {
  return new AsofError('ASOF_BACKUP_TARGET', `${path} ${what}; a backup goes into a new or empty folder`, { cause })
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
