import { AsofError } from '@asof/core'
import { lockedError } from '@asof/core/internal'
import { causeOf, codeOf } from '@asof/extract/errors'
import { ClassicLevel } from 'classic-level'

interface DatabaseOptions {
  /** Default true. */
  createIfMissing?: boolean
  /** The folder that is opened in place of `dir`, such as a `FolderView` of it. Error messages name `dir`. Default `dir`. */
  location?: string
}

/**
 * Opens a LevelDB of texts.
 *
 * @param what - the content of the database for error messages, such as "the accounts".
 * @throws ASOF_STORE_LOCKED - another process has it open.
 * @throws ASOF_STORE_READ
 */
export async function openRecordDatabase(
  dir: string,
  what: string,
  { createIfMissing = true, location = dir }: DatabaseOptions = {},
): Promise<ClassicLevel<string, string>> {
  const encodings = { keyEncoding: 'utf8', valueEncoding: 'utf8' } as const
  const database = new ClassicLevel<string, string>(location, { ...encodings, createIfMissing })
  try {
    await database.open()
  } catch (cause) {
    const reason = causeOf(cause)
    if (codeOf(reason) === 'LEVEL_LOCKED') throw lockedError(dir, cause)
    throw new AsofError('ASOF_STORE_READ', `${dir}: ${what} can't be opened`, { cause })
  }
  return database
}
