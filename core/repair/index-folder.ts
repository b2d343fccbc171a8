import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AsofError, invalidOption, isAbsence, shown } from '@asof/extract/errors'
import { expectPlain } from '../folders/plain-entries.ts'
import { isDatabaseFile } from '../leveldb/folder-check.ts'
import { failpoint } from '../store/failpoint.ts'

/** Returns the folder of the index in a data folder. */
export const indexFolderOf = (dir: string): string => join(dir, 'index')
/** Returns the folder of the complete repaired index, just before it replaces the damaged one. */
export const repairedOf = (dir: string): string => join(dir, 'index.repaired')
/** Returns the temporary folders of a repair. */
export const workOf = (dir: string): { saved: string; fresh: string } => ({
  saved: join(dir, 'index.saving'),
  fresh: join(dir, 'index.repairing'),
})

/** The name that `open` takes in place of a folder, for an index in memory. */
export const IN_MEMORY = ':memory:'

/** @throws ASOF_INVALID_OPTION - `dir` is not the path of a folder. */
export function expectPath(dir: unknown): void {
  if (typeof dir !== 'string' || dir === '' || dir.includes('\0'))
    throw invalidOption('dir', `must be the path of a folder, not ${shown(dir)}`)
  if (dir === IN_MEMORY)
    throw invalidOption('dir', `must be the path of a folder; write './${dir}' for one of that name`)
}

/**
 * Checks that a data folder has an index. Does not open the index, because another process may have it open.
 *
 * @throws ASOF_STORE_MISSING - there is no data folder, or no index in it; `details.dir` names it.
 * @throws ASOF_STORE_READ - the folder cannot be read.
 */
export async function expectIndex(dir: string): Promise<void> {
  await expectPlainIndex(dir)
  if ((await namesIn(indexFolderOf(dir))).some(isDatabaseFile) || (await exists(repairedOf(dir)))) return
  throw missingError(dir, (await exists(dir)) ? '' : ': the folder does not exist')
}

/**
 * Checks that the folders of indexes in a data folder are folders, and have only files and folders in them. The path of
 * the data folder itself may have links.
 *
 * @throws ASOF_STORE_READ - see {@link expectPlain}.
 */
async function expectPlainIndex(dir: string): Promise<void> {
  for (const folder of await indexFoldersIn(dir)) await expectPlain(folder, 'folder')
}

export function missingError(dir: string, why = ''): AsofError {
  return new AsofError('ASOF_STORE_MISSING', `there is no index in ${dir}${why}`, { details: { dir } })
}

/** Returns the names in a folder; empty if the folder does not exist. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (cause) {
    if (isAbsence(cause)) return []
    throw new AsofError('ASOF_STORE_READ', `${folder} can't be read`, { cause })
  }
}

/**
 * Replaces the damaged index by the repaired one. The damaged index is kept under another name.
 *
 * @returns the new path of the damaged index.
 */
export async function swapIn(dir: string): Promise<string> {
  const damaged = await freeName(dir)
  await rename(workOf(dir).fresh, repairedOf(dir))
  failpoint('repair-3-named')
  await rename(indexFolderOf(dir), damaged)
  failpoint('repair-4-moved')
  await rename(repairedOf(dir), indexFolderOf(dir))
  failpoint('repair-5-swapped')
  return damaged
}

/**
 * Finishes a {@link swapIn} that a crash interrupted between its two renames. The repaired index then has no other
 * beside it.
 *
 * @throws ASOF_STORE_READ - see {@link expectPlain}.
 */
export async function finishSwap(dir: string): Promise<void> {
  await expectPlainIndex(dir)
  if ((await currentIndexOf(dir)) === repairedOf(dir)) await rename(repairedOf(dir), indexFolderOf(dir))
}

/** Returns the folder with the current index. Between the two renames of a {@link swapIn} it has the name of the repaired index. */
export async function currentIndexOf(dir: string): Promise<string> {
  const isSwapping = (await exists(repairedOf(dir))) && !(await exists(indexFolderOf(dir)))
  return isSwapping ? repairedOf(dir) : indexFolderOf(dir)
}

/**
 * Returns all folders with an index in a data folder: the current one, damaged ones, and those of an interrupted
 * repair.
 */
export async function indexFoldersIn(dir: string): Promise<string[]> {
  const names = await namesIn(dir)
  return names
    .filter(name => /^index(?:\.(?:saving|repairing|repaired|damaged-\d+))?$/.test(name))
    .map(name => join(dir, name))
}

/** Deletes the files of an interrupted repair. */
export async function clearWork(dir: string): Promise<void> {
  const { saved, fresh } = workOf(dir)
  for (const folder of [saved, fresh, repairedOf(dir)]) await rm(folder, { recursive: true, force: true })
}

async function freeName(dir: string): Promise<string> {
  const names = new Set(await readdir(dir))
  let n = 1
  while (names.has(`index.damaged-${n}`)) n++
  return join(dir, `index.damaged-${n}`)
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isAbsence(error)) return false
    throw error
  }
}
