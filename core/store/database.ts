import { AsofError, codeOf, isError } from '@asof/extract/errors'
import { ClassicLevel } from 'classic-level'
import { lockedError } from './folder-lock.ts'
import { REPAIR_HINT } from './integrity/checksum.ts'
import { diskTrouble } from './integrity/disk-trouble.ts'

export type Database = ClassicLevel<Uint8Array, Uint8Array>

export const encodings = { keyEncoding: 'view', valueEncoding: 'view' } as const

const FILE_BYTES = 1024 * 1024
/**
 * Minimum and maximum number of tables that LevelDB keeps open and mapped, and number of other files that it keeps
 * open.
 */
const MIN_OPEN = 64
const MAX_OPEN = 1000
const OTHER_FILES = 10
/** The smallest limit for mapped memory that {@link databaseOptions} can keep. */
const MIN_MAPPED_BYTES = MIN_OPEN * FILE_BYTES

/**
 * Returns the settings of LevelDB. Compression is off, because values are already compressed. The write buffer is
 * larger than the default, because values have tens of kilobytes and would cause many compactions. `multithreading`
 * lets other threads share the folder.
 *
 * @param mappedBytes - maximum resident memory of mapped files. It limits the number of open tables, since LevelDB maps
 *   each of them. Reading from a table that is not open takes 30 µs more.
 */
export function databaseOptions(mappedBytes = MIN_MAPPED_BYTES) {
  const open = Math.min(MAX_OPEN, Math.max(MIN_OPEN, Math.floor(mappedBytes / FILE_BYTES)))
  return {
    ...encodings,
    compression: false,
    writeBufferSize: 16 * 1024 * 1024,
    cacheSize: 16 * 1024 * 1024,
    maxFileSize: FILE_BYTES,
    maxOpenFiles: open + OTHER_FILES,
    blockSize: 16 * 1024,
    multithreading: true,
  }
}

/**
 * Opens the LevelDB folder. If this process has the folder open already, for example in another thread, that database
 * is shared with its settings.
 */
export async function openDatabase(location: string, mappedBytes?: number): Promise<Database> {
  const options = databaseOptions(mappedBytes)
  const database: Database = new ClassicLevel(location, options)
  try {
    await database.open(options)
  } catch (error) {
    throw openError(location, error)
  }
  return database
}

function openError(location: string, error: unknown): AsofError {
  const cause = isError(error) && isError(error.cause) ? error.cause : error
  const code = codeOf(cause)
  if (code === 'LEVEL_LOCKED') return lockedError(location, cause)
  if (code === 'LEVEL_CORRUPTION')
    return new AsofError('ASOF_STORE_CORRUPT', `${location} is damaged; ${REPAIR_HINT}`, { cause })
  return new AsofError('ASOF_STORE_READ', `${location} can't be opened: ${diskTrouble(cause)}`, { cause })
}
