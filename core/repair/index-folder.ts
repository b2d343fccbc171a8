import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AsofError } from '../errors.ts'
import { invalidOption } from '../options.ts'
import { shown } from '../shown-value.ts'
import { failpoint } from '../store/failpoint.ts'

/** Where the index of a data folder lives. */
export const indexOf = (dir: string): string => join(dir, 'index')
/** A whole index that is to take the place of a damaged one: it has this name only once it is complete. */
export const repairedOf = (dir: string): string => join(dir, 'index.repaired')
/** What a repair works in; of no use to anything else. */
export const workOf = (dir: string): { saved: string; fresh: string } => ({
  saved: join(dir, 'index.saving'),
  fresh: join(dir, 'index.repairing'),
})

/** @throws ASOF_INVALID_OPTION - what was given as a folder is no path. */
export function expectPath(dir: unknown): void {
  if (typeof dir !== 'string' || dir === '' || dir.includes('\0'))
    throw invalidOption('dir', `must be the path of a folder, not ${shown(dir)}`)
}

/**
 * Makes sure that a data folder holds an index, without opening it: another process may hold it.
 *
 * @throws ASOF_STORE_MISSING - there is no data folder, or no index in it; `details.dir` names it.
 * @throws ASOF_STORE_READ - the disk does not say.
 */
export async function expectIndex(dir: string): Promise<void> {
  if ((await namesIn(indexOf(dir))).length > 0 || (await exists(repairedOf(dir)))) return
  const missing = (await exists(dir)) ? '' : ': the folder does not exist'
  throw new AsofError('ASOF_STORE_MISSING', `there is no index in ${dir}${missing}`, { details: { dir } })
}

/** The names in a folder; none if there is no such folder. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (cause) {
    if (isAbsence(cause)) return []
    throw new AsofError('ASOF_STORE_READ', `${folder} can't be read`, { cause })
  }
}

/**
 * Puts the repaired index in the place of the damaged one, which is kept under another name.
 *
 * @returns where the damaged one is.
 */
export async function swapIn(dir: string): Promise<string> {
  const damaged = await freeName(dir)
  await rename(workOf(dir).fresh, repairedOf(dir))
  failpoint('repair-3-named')
  await rename(indexOf(dir), damaged)
  failpoint('repair-4-moved')
  await rename(repairedOf(dir), indexOf(dir))
  failpoint('repair-5-swapped')
  return damaged
}

/** Finishes what a crash between the renames of {@link swapIn} left: there is no index, and one that is repaired. */
export async function finishSwap(dir: string): Promise<void> {
  if ((await exists(repairedOf(dir))) && !(await exists(indexOf(dir)))) await rename(repairedOf(dir), indexOf(dir))
}

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

/** Whether a path could not be found, rather than not be read: a file in the place of a folder leads nowhere either. */
function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
