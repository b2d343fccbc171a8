import type { Stats } from 'node:fs'
import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from './thrown.ts'

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
 * @returns a message for the operator if other users can still read the folder, or if it belongs to one of them.
 *   Otherwise an empty list, also if there is no folder.
 */
export async function closeFolder(dir: string): Promise<string[]> {
  return messagesFor(dir, await close(dir))
}

/**
 * Removes the permissions of other users from a file, or from a folder and everything in it. Follows no links.
 *
 * @returns messages for the operator about the files and folders that other users can still read, and about those that
 *   belong to another user. What is in a folder with a message has none of its own. Empty if the path does not exist.
 */
export async function closeTree(path: string): Promise<string[]> {
  const messages: string[] = []
  const waiting = [{ path, isSaid: false }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const state = await close(next.path)
    const said = next.isSaid ? [] : messagesFor(next.path, state)
    messages.push(...said)
    if (!state?.isFolder) continue
    for (const name of await namesIn(next.path))
      waiting.push({ path: join(next.path, name), isSaid: next.isSaid || said.length > 0 })
  }
  return messages
}

/** The state of a file or folder after its permissions were removed. */
interface Closed {
  isFolder: boolean
  /** True if other users can still read it. */
  isOpen: boolean
  /** The number of the user who owns it, if that is not the user of this process. */
  otherOwner: number | undefined
}

/** Removes the permissions of other users. Undefined if there is no file or folder, and on Windows. */
async function close(path: string): Promise<Closed | undefined> {
  const found = await entryAt(path)
  if (!found) return undefined
  const otherOwner = found.uid === process.geteuid?.() ? undefined : found.uid
  const [isFolder, mode] = [found.isDirectory(), found.mode & 0o7777]
  if ((mode & OTHERS) === 0) return { isFolder, isOpen: false, otherOwner }
  if (mode & STICKY) return { isFolder, isOpen: true, otherOwner }
  // chmod fails for a path of another user, and has no effect on a file system without permissions. The check after it
  // finds both.
  await chmod(path, mode & ~OTHERS).catch(() => undefined)
  return { isFolder, isOpen: (((await entryAt(path))?.mode ?? 0) & OTHERS) !== 0, otherOwner }
}

function messagesFor(path: string, closed: Closed | undefined): string[] {
  if (closed?.otherOwner !== undefined)
    return [
      `${path} belongs to another user (${closed.otherOwner}), who can read it and change what asof does with it; run asof as that user, or hand it over with chown -R`,
    ]
  if (closed?.isOpen)
    return [`${path} is open to other users and cannot be closed by this one; as its owner, run chmod -R go= on it`]
  return []
}

/** Returns the file or folder at a path. Undefined if there is none, for links, and on Windows. */
async function entryAt(path: string): Promise<Stats | undefined> {
  if (process.platform === 'win32') return undefined
  const found = await lstat(path).catch(absent)
  return found && (found.isDirectory() || found.isFile()) ? found : undefined
}

async function namesIn(path: string): Promise<string[]> {
  return await readdir(path).catch((error: unknown) => absent(error) ?? [])
}

/**
 * Returns undefined if the error means that a path is missing, is a file in place of a folder, or cannot be read.
 * Rethrows other errors.
 */
function absent(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')) throw error
}
