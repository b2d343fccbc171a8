import type { Stats } from 'node:fs'
import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, isAbsence } from '@asof/extract/errors'

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
 * @returns one message for the operator if other users can still read the folder, or if another user owns it. An empty list
 *   otherwise, and if the folder does not exist.
 */
export async function closeFolder(dir: string): Promise<string[]> {
  return messagesFor(dir, await close(dir))
}

/**
 * Removes the permissions of other users from a file, or from a folder and everything in it. Follows no links.
 *
 * @returns a message for the operator about each file or folder that other users can still read, or that another user owns. A
 *   folder with a message has no messages about its contents. Empty if the path does not exist.
 */
export async function closeTree(path: string): Promise<string[]> {
  const messages: string[] = []
  const waiting = [{ path, isReported: false }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const state = await close(next.path)
    const own = next.isReported ? [] : messagesFor(next.path, state)
    messages.push(...own)
    if (!state?.isFolder) continue
    for (const name of await namesIn(next.path))
      waiting.push({ path: join(next.path, name), isReported: next.isReported || own.length > 0 })
  }
  return messages
}

/** The state of a file or folder after its permissions were removed. */
interface Closed {
  isFolder: boolean
  /** True if other users can still read it. */
  isOpen: boolean
  /** The id of the user who owns it. Undefined if that is the user of this process. */
  otherOwner: number | undefined
}

/** Removes the permissions of other users. Returns undefined if no file or folder is at the path, and on Windows. */
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

/** Returns the file or folder at a path. Returns undefined if the path does not exist or is a link, and on Windows. */
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
  if (!isAbsence(error) && !['EACCES', 'EPERM'].includes(codeOf(error) ?? '')) throw error
}
