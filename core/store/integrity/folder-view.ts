import { constants } from 'node:fs'
import { access, copyFile, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AsofError, codeOf } from '@asof/extract/errors'
import { isTableFile } from '../../leveldb/folder-check.ts'
import { lockedError, ownsLock } from '../folder-lock.ts'
import { diskTrouble } from './disk-trouble.ts'
import { isHeld } from './integrity-check.ts'

/** Files that a reader does not need: LevelDB's message logs and temporary files. */
const UNNEEDED = /^LOG(?:\.old)?$|\.tmp$/

/**
 * A temporary folder that is opened in place of a LevelDB folder, so that nothing is written into the latter. LevelDB has no way to open a
 * folder only to read it: it writes its log out as a table, begins a new log and deletes old files. A view has links to the tables, which
 * LevelDB never changes, and copies of the other files. It also has a link to the lock, so that no other process opens the folder meanwhile.
 */
export class FolderView {
  /** Path of the view. */
  readonly location: string
  readonly #folder: string

  private constructor(location: string, folder: string) {
    this.location = location
    this.#folder = folder
  }

  /**
   * Makes a view of a folder.
   *
   * @throws ASOF_STORE_LOCKED - the folder is open, in this process or another one.
   * @throws ASOF_STORE_READ - the folder cannot be read, or there is no space for the copies.
   */
  static async of(folder: string): Promise<FolderView> {
    const owns = ownsLock(folder)
    if (owns) throw lockedError(folder)
    const view = await FolderView.#make(folder)
    try {
      // Without a list of locks, only LevelDB knows what this process has open. It then renames its message log.
      if (await isHeld(owns === undefined ? folder : view.location)) throw lockedError(folder)
      return view
    } catch (error) {
      await view.close()
      throw error
    }
  }

  static async #make(folder: string): Promise<FolderView> {
    let made: FolderView | undefined
    try {
      const real = await realpath(folder)
      made = new FolderView(await mkdtemp(join(tmpdir(), 'asof-view-')), folder)
      for (const entry of await readdir(real, { withFileTypes: true })) {
        const { name } = entry
        if (!entry.isFile() || UNNEEDED.test(name)) continue
        const [from, to] = [join(real, name), join(made.location, name)]
        if (isTableFile(name)) await linkOrCopy(from, to)
        // LevelDB needs a lock that it may write. Without a link it creates one in the view.
        else if (name !== 'LOCK') await copyFile(from, to)
        else if (await isWritable(from)) await linkOrCopy(from, to)
      }
      return made
    } catch (cause) {
      await made?.close()
      if (codeOf(cause) === undefined) throw cause
      throw new AsofError('ASOF_STORE_READ', `${folder} can't be examined: ${diskTrouble(cause)}`, { cause })
    }
  }

  /** Returns an error with the path of the folder in place of the path of the view. */
  named(error: AsofError): AsofError {
    if (error.code === 'ASOF_STORE_LOCKED') return lockedError(this.#folder, error)
    const { code, details } = error
    return new AsofError(code, error.message.replaceAll(this.location, this.#folder), { cause: error, details })
  }

  /** Deletes the view. Nothing may have it open. */
  async close(): Promise<void> {
    await rm(this.location, { recursive: true, force: true })
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await symlink(from, to)
  } catch (error) {
    // On Windows only some users may make links.
    if (codeOf(error) !== 'EPERM') throw error
    await copyFile(from, to)
  }
}

async function isWritable(path: string): Promise<boolean> {
  return await access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
}
