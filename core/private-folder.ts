import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The permissions of the group and of others. */
const OTHERS = 0o077
/** Marks a folder, such as /tmp, that users share on purpose. Closing it would lock them out. */
const STICKY = 0o1000

/**
 * Takes the permissions of other users from a folder, but not from what is in it.
 *
 * @returns the folder if it is still open: it belongs to another user, or it is a shared folder such as /tmp. Otherwise
 *   nothing, also if it does not exist.
 */
export async function closeFolder(dir: string): Promise<string[]> {
  const mode = await modeOf(dir)
  return isOpen(mode) && !(await close(dir, mode)) ? [dir] : []
}

/**
 * Takes the permissions of other users from a file, or from a folder with everything in it. The content of a folder that
 * was closed is not examined, because nobody else can reach it.
 *
 * @returns the files and folders that are still open, because they belong to another user, without what is in such a
 *   folder. Empty if the path does not exist.
 */
export async function closeTree(path: string): Promise<string[]> {
  const mode = await modeOf(path)
  if (!isOpen(mode)) return []
  const isClosed = await close(path, mode)
  const open: string[] = []
  for (const name of await namesIn(path)) open.push(...(await closeTree(join(path, name))))
  return isClosed ? open : [path]
}

/** Describes a path that stays open to other users, for the operator. */
export function stillOpen(path: string): string {
  return `${path} is open to other users and cannot be closed by this one; as its owner, run chmod -R go= on it`
}

function isOpen(mode: number | undefined): mode is number {
  return mode !== undefined && (mode & OTHERS) !== 0
}

/** The permissions of a file or folder. Undefined without one, for links, and on Windows, which has other permissions. */
async function modeOf(path: string): Promise<number | undefined> {
  if (process.platform === 'win32') return undefined
  const found = await lstat(path).catch(absent)
  return found && (found.isDirectory() || found.isFile()) ? found.mode & 0o7777 : undefined
}

/** Returns false if the path is still open. */
async function close(path: string, mode: number): Promise<boolean> {
  if (mode & STICKY) return false
  // Another user's path, or a file system without permissions: the result shows it.
  await chmod(path, mode & ~OTHERS).catch(() => undefined)
  return !isOpen(await modeOf(path))
}

async function namesIn(path: string): Promise<string[]> {
  return await readdir(path).catch((error: unknown) => absent(error) ?? [])
}

/** Nothing, for a path that is missing, that is a file where a folder is expected, or that this user may not read. */
function absent(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code)) throw error
}
