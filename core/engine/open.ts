import { mkdir, realpath } from 'node:fs/promises'
import { AsofError } from '@asof/extract/errors'
import { closeFolder, closeTree } from '../folders/private-folder.ts'
import {
  expectIndex,
  expectPath,
  finishSwap,
  IN_MEMORY,
  indexFolderOf,
  indexFoldersIn,
  missingError,
} from '../repair/index-folder.ts'
import { loadPart } from '../runtime/engine-part.ts'
import type { Engine } from './engine.ts'
import { checkOpenOptions, type OpenOptions, readOpenOptions } from './open-options.ts'

/**
 * Opens the index in a data folder, or a new index in memory.
 *
 * The data folder and its index are created if they are missing, unless `create` is false. Only one process at a time
 * can open a folder. After a crash at any moment, the index opens without repair and has every acknowledged commit
 * completely.
 *
 * Only this user can read new folders. For an existing data folder or index, the permissions of other users are
 * removed. If that is not possible, or if another user owns a file or folder in it, `onWarning` gets a warning.
 *
 * With `':memory:'`, the index is in the memory of this process, and gives the same answers as an index in a folder. No
 * file is created, and {@link Engine.close} deletes it; {@link Engine.backup} writes it to a folder, which can be opened.
 * Any number of such indexes may be open, and none sees another. It is meant for tests and previews: it is as large as
 * memory allows, and searches, merges and backups run on the calling thread.
 *
 * @param dir - the data folder. The index is in its subfolder `index`. Or `':memory:'`; a folder of that name is opened
 *   as `./:memory:`.
 * @throws ASOF_INVALID_OPTION - an option is unknown, has the wrong type or is out of range; `details.field` names it.
 *   Nothing was created.
 * @throws ASOF_STORE_MISSING - `create` is false, and the data folder, or the index in it, does not exist. Nothing was
 *   created. An index in memory never exists before.
 * @throws ASOF_STORE_LOCKED - another process has the folder open.
 * @throws ASOF_STORE_FORMAT - a newer release of asof made or upgraded the index; `details.release` names it.
 * @throws ASOF_STORE_CORRUPT - the index is damaged.
 * @throws ASOF_UPGRADE_UNFINISHED - an upgrade of the index was interrupted; `upgrade` continues it.
 * @throws ASOF_STORE_READ - the folder cannot be created or read, or its index is a link, a pipe or a device, or contains one.
 * @throws ASOF_WORKER_FAILED - a bundler left out the files that the engine's threads run, or LevelDB.
 */
export async function open(dir: string, options?: OpenOptions): Promise<Engine> {
  if (dir !== IN_MEMORY) expectPath(dir)
  const { create = true, ...rest } = readOpenOptions(options)
  checkOpenOptions(rest)
  // The engine is most of the package. Many programs that import the package open no index, or open one later.
  const { openLocal } = await loadPart(() => import('./local-index.ts'))
  if (dir === IN_MEMORY) {
    if (!create) throw missingError(dir, ', because an index in memory is always new')
    return openLocal(undefined, rest)
  }
  if (create) await createFolder(dir)
  await finishSwap(dir)
  if (!create) await expectIndex(dir)
  const engine = await openLocal(indexFolderOf(dir), rest)
  try {
    await closeToOthers(dir, rest)
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}

async function closeToOthers(
  dir: string,
  { onWarning = warning => process.emitWarning(warning) }: OpenOptions,
): Promise<void> {
  const messages = await closeFolder(await realpath(dir))
  for (const folder of await indexFoldersIn(dir)) messages.push(...(await closeTree(folder)))
  for (const message of messages) onWarning(new Error(message))
}

async function createFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new AsofError('ASOF_STORE_READ', `the data folder ${dir} cannot be created`, { cause })
  }
}
