import { mkdir } from 'node:fs/promises'
import type { Engine } from './engine.ts'
import { AsofError } from './errors.ts'
import { LocalEngine } from './local-engine.ts'
import { checkOpenOptions, type OpenOptions, readOpenOptions } from './open-options.ts'
import { expectIndex, expectPath, finishSwap, indexOf } from './repair/index-folder.ts'

/**
 * Opens the index in a folder, creating both if they are missing, for this user alone, unless `create` is false. One
 * process at a time may hold a folder.
 *
 * @param dir - the data folder; the index lives in `index/` below it.
 * @throws ASOF_INVALID_OPTION - an unknown option, or one of another type or out of range; `details.field` names it. Nothing
 *   was created.
 * @throws ASOF_STORE_MISSING - `create` is false, and there is no data folder or no index in it. Nothing was created.
 * @throws ASOF_STORE_LOCKED - another process holds it.
 * @throws ASOF_STORE_NEWER - it was written by a newer asof.
 * @throws ASOF_STORE_OLDER - it has an older format: the message says how to take its pages along.
 * @throws ASOF_STORE_CORRUPT - it is damaged.
 * @throws ASOF_ANALYZER_CHANGED - it was indexed with other text rules.
 * @throws ASOF_STORE_READ - the folder can't be created or read.
 *
 * After a crash at any moment the index opens without repair and holds every acknowledged batch whole.
 */
export async function open(dir: string, options?: OpenOptions): Promise<Engine> {
  expectPath(dir)
  const { create = true, ...rest } = readOpenOptions(options)
  checkOpenOptions(rest)
  if (create) await createFolder(dir)
  await finishSwap(dir)
  if (!create) await expectIndex(dir)
  return LocalEngine.open(indexOf(dir), rest)
}

async function createFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new AsofError('ASOF_STORE_READ', `the data folder ${dir} can't be created`, { cause })
  }
}
