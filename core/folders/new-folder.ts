import { lstat, mkdir, open, readdir, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AsofError, codeOf } from '@asof/extract/errors'
import { closeTree } from './private-folder.ts'

/**
 * Name of the file that marks an unfinished folder. Only a folder with this file is replaced as the remains of an
 * interrupted call.
 */
const MARK = 'UNFINISHED'

/** Folders that this process is creating. */
const making = new Set<string>()

/**
 * Creates a folder with everything that `fill` writes, or not at all. Only this user can read it. Until it is complete,
 * its name is `<folder>.partial`. Replaces the unfinished folder of an interrupted call.
 *
 * @param folder - must be empty or not exist, and be no link. It may be reached by links.
 * @param sources - the folders that are copied. The new folder must not be one of them or inside one, not even by a
 *   link.
 * @throws ASOF_BACKUP_TARGET - the folder is not empty, is a link or in a source, or cannot be created.
 */
export async function intoNewFolder<T>(
  folder: string,
  sources: readonly string[],
  fill: (partial: string) => Promise<T>,
): Promise<T> {
  if (await isLink(resolve(folder))) throw targetError(resolve(folder), 'is a link')
  const target = await withoutLinks(resolve(folder))
  const partial = `${target}.partial`
  for (const source of await Promise.all(sources.map(withoutLinks)))
    for (const made of [target, partial])
      if (isWithin(made, source)) throw targetError(made, `is in ${source}, which is to be copied`)
  if (making.has(target)) throw targetError(target, 'is already being created')
  making.add(target)
  try {
    await expectFree(target)
    await begin(partial)
    try {
      const result = await fill(partial)
      await rm(join(partial, MARK))
      // LevelDB makes files that other users may read, unless the umask of the process denies it.
      await closeTree(partial)
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

/** Returns the path of a folder with all links resolved. Its last parts need not exist. */
async function withoutLinks(folder: string): Promise<string> {
  try {
    return await realpath(folder)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw targetError(folder, 'cannot be reached', error)
    if (await isLink(folder)) throw targetError(folder, 'is a link to a folder that does not exist', error)
    return join(await withoutLinks(dirname(folder)), basename(folder))
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw targetError(path, 'cannot be reached', error)
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
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
    // Some systems cannot rename a folder to the name of an empty folder.
    await rmdir(target).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
    await rename(partial, target)
  } catch (error) {
    throw targetError(target, 'was created by someone else in the meantime', error)
  }
}

/** Makes the file names in a folder durable, where the system supports that. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch((error: unknown) => {
    // Windows cannot open folders. There it is not necessary.
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
  return new AsofError(
    'ASOF_BACKUP_TARGET',
    `${path} ${what}; a backup goes into a new or empty folder outside the data folder`,
    { cause },
  )
}
