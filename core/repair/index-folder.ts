import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AsofError } from '../errors.ts'
import { invalidOption } from '../options.ts'
import { shown } from '../shown-value.ts'
import { failpoint } from '../store/failpoint.ts'

/** The folder of the index in a data folder. */
export const indexFolderOf = (dir: string): string => join(dir, 'index')
/** The repaired index that will replace the damaged one. It has this name only once it is complete. */
export const repairedOf = (dir: string): string => join(dir, 'index.repaired')
/** The temporary folders of a repair. */
export const workOf = (dir: string): { saved: string; fresh: string } => ({
  saved: join(dir, 'index.saving'),
  fresh: join(dir, 'index.repairing'),
})

/** @throws ASOF_INVALID_OPTION - `dir` is not a path. */
export function expectPath(dir: unknown): void {
  if (typeof dir !== 'string' || dir === '' || dir.includes('\0'))
    throw invalidOption('dir', `must be the path of a folder, not ${shown(dir)}`)
}

/**
 * Checks that a data folder holds an index, without opening it, because another process may have it open.
 *
 * @throws ASOF_STORE_MISSING - there is no data folder, or no index in it; `details.dir` names it.
 * @throws ASOF_STORE_READ - the folder can't be read.
 */
export async function expectIndex(dir: string): Promise<void> {
  if ((await namesIn(indexFolderOf(dir))).length > 0 || (await exists(repairedOf(dir)))) return
  const missing = (await exists(dir)) ? '' : ': the folder does not exist'
  throw new AsofError('ASOF_STORE_MISSING', `there is no index in ${dir}${missing}`, { details: { dir } })
}

/** The names in a folder; empty if there is no such folder. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (cause) {
    if (isAbsence(cause)) return []
    throw new AsofError('ASOF_STORE_READ', `${folder} can't be read`, { cause })
  }
}

/**
 * Replaces the damaged index with the repaired one, and keeps the damaged one under another name.
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

/** Finishes a {@link swapIn} that a crash interrupted between its renames: there is a repaired index and no other. */
export async function finishSwap(dir: string): Promise<void> {
  if ((await exists(repairedOf(dir))) && !(await exists(indexFolderOf(dir))))
    await rename(repairedOf(dir), indexFolderOf(dir))
}

/** The folders in a data folder that hold an index: the current one, damaged ones, and those of an interrupted repair. */
export async function indexFoldersIn(dir: string): Promise<string[]> {
  const names = await namesIn(dir)
  return names
    .filter(name => /^index(?:\.(?:saving|repairing|repaired|damaged-\d+))?$/.test(name))
    .map(name => join(dir, name))
}

/** Deletes what an interrupted repair left. */
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

/** True if the error says that a path does not exist, also because one of its folders is a file. */
function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
