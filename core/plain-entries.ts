import { constants, type Dirent, type Stats } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AsofError, isAsofError } from './errors.ts'
import { codeOf } from './thrown.ts'

/** What a part of a data folder must be, if it exists. */
export type PlainKind = 'folder' | 'file' | 'socket'

/**
 * Checks that a part of a data folder is what asof would make there, and that a folder has only files and folders, at
 * any depth. Whoever can write to the folder could otherwise lead the reads and writes of another user elsewhere by a
 * link, or hold them forever by a pipe. A part that does not exist is no error. Opens no file and changes nothing.
 *
 * @throws ASOF_STORE_READ - a part is a link, a pipe, a socket, a device, or not of its kind; `details` has its `path`
 *   and what was `found` there.
 */
export async function expectPlain(path: string, kind: PlainKind): Promise<void> {
  const entry = await lstat(path).catch(absent)
  if (entry === undefined) return
  if (kindOf(entry) !== kind) throw notPlain(path, kindOf(entry), kind)
  if (kind !== 'folder') return
  for (const folders = [path]; folders.length > 0; ) {
    const folder = folders.pop()!
    for (const inner of (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? []) {
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
  // The flags are for what takes the place of the file after the check. Windows has neither.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  try {
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      if (!(await file.stat()).isFile()) throw notPlain(path, 'something else', 'file')
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  } catch (cause) {
    if (isAsofError(cause)) throw cause
    if (codeOf(cause) === 'ENOENT') return undefined
    throw new AsofError('ASOF_STORE_READ', `${path} can't be read`, { cause, details: { path } })
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

/** Returns undefined if nothing is at a path. ENOTDIR means that a file stands where the path has a folder. */
function absent(cause: unknown): undefined {
  if (['ENOENT', 'ENOTDIR'].includes(codeOf(cause) ?? '')) return undefined
  throw new AsofError('ASOF_STORE_READ', `the data folder can't be read`, { cause })
}
