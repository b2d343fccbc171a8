import { ClassicLevel } from 'classic-level'
import { AsofError } from '../errors.ts'
import { REPAIR_HINT } from './integrity/checksum.ts'
import { diskTrouble } from './integrity/disk-trouble.ts'
import { lockedError } from './integrity/integrity-check.ts'

export type Database = ClassicLevel<Uint8Array, Uint8Array>

export const encodings = { keyEncoding: 'view', valueEncoding: 'view' } as const

const FILE_BYTES = 1024 * 1024
/** LevelDB's minimum and maximum number of open and mapped tables. It keeps ten other files open besides. */
const LEAST_OPEN = 64
const MOST_OPEN = 1000
const OTHER_FILES = 10
/** The smallest limit that {@link databaseOptions} can keep. */
const LEAST_MAPPED_BYTES = LEAST_OPEN * FILE_BYTES

/**
 * Returns the settings of LevelDB. Values are already compressed, so LevelDB does not compress. Buffers larger than the default mean fewer
 * compactions for values of tens of kilobytes. With `multithreading` other threads can share the folder.
 *
 * @param mappedBytes - maximum resident memory of mapped files. LevelDB maps the files that it has open, so the limit bounds their number,
 *   whatever the size of the index. Reading from a file that is not open takes 30 µs more.
 */
export function databaseOptions(mappedBytes = LEAST_MAPPED_BYTES) {
  const open = Math.min(MOST_OPEN, Math.max(LEAST_OPEN, Math.floor(mappedBytes / FILE_BYTES)))
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

/** Opens the LevelDB folder. If this process has it open already, as for a worker, the result shares that database and its settings. */
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
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'LEVEL_LOCKED') return lockedError(location, cause)
  if (code === 'LEVEL_CORRUPTION')
    return new AsofError('ASOF_STORE_CORRUPT', `${location} is damaged; ${REPAIR_HINT}`, { cause })
  return new AsofError('ASOF_STORE_READ', `${location} can't be opened: ${diskTrouble(cause)}`, { cause })
}
