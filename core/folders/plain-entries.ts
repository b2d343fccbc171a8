import { constants, type Dirent, type Stats } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AsofError, isAbsence, isAsofError } from '@asof/extract/errors'

/** The kind of entry that a part of a data folder must be, if it exists. */
export type PlainKind = 'folder' | 'file' | 'socket'

/**
 * Checks that a part of a data folder is what asof would make there, and that a folder has only files and folders, at
 * any depth. Otherwise, anybody who can write to the folder could redirect the reads and writes of another user by a
 * link, or block them forever by a pipe. A part that does not exist is no error. Opens no file and changes nothing.
 *
 * @throws ASOF_STORE_READ - a part is a link, a pipe, a socket, a device, or not of its kind; `details` has its `path`
 *   and the kind of entry that was `found` there.
 */
export async function expectPlain(path: string, kind: PlainKind): Promise<void> {
  const entry = await lstat(path).catch(absentAt(path))
  if (entry === undefined) return
  if (kindOf(entry) !== kind) throw notPlain(path, kindOf(entry), kind)
  if (kind !== 'folder') return
  for (const folders = [path]; folders.length > 0; ) {
    const folder = folders.pop()!
    for (const inner of (await readdir(folder, { withFileTypes: true }).catch(absentAt(folder))) ?? []) {
      const [found, at] = [kindOf(inner), join(folder, inner.name)]
      if (found === 'folder') folders.push(at)
      else if (found !== 'file') throw notPlain(at, found, 'file')
    }
  }
}

/**
 * Reads a file of a data folder as text. Neither follows a link nor waits at a pipe.
 *
 * @returns undefined if there is no file.
 * @throws ASOF_STORE_READ - it is not a file, or cannot be read.
 */
export async function readPlainFile(path: string): Promise<string | undefined> {
  await expectPlain(path, 'file')
  // The flags refuse a link or a pipe that replaces the file after the check. Windows has neither flag.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  try {
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const found = kindOf(await file.stat())
      if (found !== 'file') throw notPlain(path, found, 'file')
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  } catch (cause) {
    if (isAsofError(cause)) throw cause
    return absentAt(path)(cause)
  }
}

function kindOf(entry: Stats | Dirent): string {
  if (entry.isDirectory()) return 'folder'
  if (entry.isFile()) return 'file'
  if (entry.isSymbolicLink()) return 'symbolic link'
  if (entry.isFIFO()) return 'pipe'
  return entry.isSocket() ? 'socket' : 'device'
}

function notPlain(path: string, found: string, wanted: PlainKind): AsofError {
  const message = `${path} is a ${found}, not a ${wanted}; asof follows no links inside a data folder and reads only files there: remove it, or put the ${wanted} itself in its place`
  return new AsofError('ASOF_STORE_READ', message, { retryable: false, details: { path, found } })
}

/** Returns a handler of errors. It returns undefined if the error means that nothing is at the path, and rethrows others with the path. */
function absentAt(path: string): (cause: unknown) => undefined {
  return cause => {
    if (isAbsence(cause)) return undefined
    throw new AsofError('ASOF_STORE_READ', `${path} can't be read`, { cause, details: { path } })
  }
}
