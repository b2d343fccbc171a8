import { mkdir, open, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AsofError } from './errors.ts'

/** Marks a folder that is being made, so that what an interrupted making left can be told from what is somebody's. */
const MARK = 'UNFINISHED'

/** Folders this process is making. */
const making = new Set<string>()

/**
 * Makes a folder for this user alone, with all that `fill` puts into it, or none: under the name `<folder>.partial` until it is whole. What
 * an interrupted making left is replaced.
 *
 * @param folder - must not exist, or be empty.
 * @throws ASOF_BACKUP_TARGET - there is something at its place already, or it can't be made.
 */
export async function intoNewFolder<T>(folder: string, fill: (partial: string) => Promise<T>): Promise<T> {
  const target = resolve(folder)
  const partial = `${target}.partial`
  if (making.has(target)) throw targetError(target, 'is being made already')
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
    throw targetError(target, codeOf(error) === 'ENOTDIR' ? 'is no folder' : 'can not be looked into', error)
  }
  if (names.length > 0) throw targetError(target, 'is not empty')
}

async function begin(partial: string): Promise<void> {
  try {
    if (await isUnfinished(partial)) await rm(partial, { recursive: true })
    await mkdir(dirname(partial), { recursive: true })
    await mkdir(partial, { mode: 0o700 })
    await writeFile(join(partial, MARK), `${basename(partial)} was not finished and is of no use.\n`)
  } catch (error) {
    throw targetError(partial, codeOf(error) === 'EEXIST' ? 'is in the way' : 'can not be made', error)
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
    // Not everywhere may a folder be renamed to the name of an empty one.
    await rmdir(target).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
    await rename(partial, target)
  } catch (error) {
    throw targetError(target, 'was taken meanwhile', error)
  }
}

/** Makes the names in a folder durable, where the system knows how to. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch((error: unknown) => {
    // Windows opens no folders, and needs no such thing.
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
