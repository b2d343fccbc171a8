import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The permission bits of all users except the owner. */
const OTHERS = 0o077
/**
 * The permission bit of folders that users share on purpose, such as /tmp. Closing such a folder would lock out the
 * other users.
 */
const STICKY = 0o1000

/**
 * Removes the permissions of other users from a folder, but not from its contents.
 *
 * @returns the folder if other users can still read it, because it belongs to another user or is shared like /tmp.
 *   Otherwise an empty list, also if there is no folder.
 */
export async function closeFolder(dir: string): Promise<string[]> {
  const mode = await modeOf(dir)
  return isOpen(mode) && !(await close(dir, mode)) ? [dir] : []
}

/**
 * Removes the permissions of other users from a file, or from a folder and its contents. Skips the contents of a folder
 * that is closed already, because no other user can reach them.
 *
 * @returns the files and folders that other users can still read, because they belong to another user. Their contents
 *   are not listed. Empty if the path does not exist.
 */
export async function closeTree(path: string): Promise<string[]> {
  const mode = await modeOf(path)
  if (!isOpen(mode)) return []
  const isClosed = await close(path, mode)
  const open: string[] = []
  for (const name of await namesIn(path)) open.push(...(await closeTree(join(path, name))))
  return isClosed ? open : [path]
}

/** Returns a message for the operator about a path that other users can still read. */
export function stillOpen(path: string): string {
  return `${path} is open to other users and cannot be closed by this one; as its owner, run chmod -R go= on it`
}

function isOpen(mode: number | undefined): mode is number {
  return mode !== undefined && (mode & OTHERS) !== 0
}

/** Returns the permissions of a file or folder. Undefined if there is none, for links, and on Windows. */
async function modeOf(path: string): Promise<number | undefined> {
  if (process.platform === 'win32') return undefined
  const found = await lstat(path).catch(absent)
  return found && (found.isDirectory() || found.isFile()) ? found.mode & 0o7777 : undefined
}

/** Removes the permissions of other users. Returns false if they can still read the path. */
async function close(path: string, mode: number): Promise<boolean> {
  if (mode & STICKY) return false
  // chmod fails for a path of another user, and has no effect on a file system without permissions. The check after it
  // finds both.
  await chmod(path, mode & ~OTHERS).catch(() => undefined)
  return !isOpen(await modeOf(path))
}

async function namesIn(path: string): Promise<string[]> {
  return await readdir(path).catch((error: unknown) => absent(error) ?? [])
}

/**
 * Returns undefined if the error means that a path is missing, is a file in place of a folder, or cannot be read.
 * Rethrows other errors.
 */
function absent(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code)) throw error
}
