import { mkdir } from 'node:fs/promises'
import { AsofError } from '@asof/core'
import { causeOf, codeOf } from '@asof/extract/errors'
import { ClassicLevel } from 'classic-level'
import { FRONTIER_FORMAT, frontierKeys as keys, type StateCounts } from './frontier-record.ts'

/** The LevelDB database of a frontier. */
export type FrontierDatabase = ClassicLevel<string, unknown>

/**
 * Buffers and files are larger than LevelDB's defaults. Keys arrive in random order, so each compaction rewrites most
 * files of the next level; with fewer, larger files a URL costs a seventh less. The number of open files is limited,
 * because LevelDB keeps the index and filter of each in memory.
 */
const databaseOptions = {
  keyEncoding: 'utf8',
  valueEncoding: 'json',
  writeBufferSize: 16 * 1024 * 1024,
  maxFileSize: 8 * 1024 * 1024,
  maxOpenFiles: 300,
} as const

/**
 * Opens the database of a frontier. Creates its folder if necessary.
 *
 * @throws ASOF_STORE_LOCKED - another crawl of the same corpus is running.
 * @throws ASOF_STORE_FORMAT | ASOF_STORE_READ
 */
export async function openFrontierDatabase(dir: string): Promise<FrontierDatabase> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const db: FrontierDatabase = new ClassicLevel(dir, databaseOptions)
  try {
    await db.open()
  } catch (error) {
    const cause = causeOf(error)
    const locked = codeOf(cause) === 'LEVEL_LOCKED'
    if (locked)
      throw new AsofError('ASOF_STORE_LOCKED', `${dir}: another crawl of this corpus is running`, { cause: error })
    throw new AsofError('ASOF_STORE_READ', `${dir}: the crawl's frontier cannot be opened`, { cause: error })
  }
  const format = await db.get(keys.format)
  if (format === FRONTIER_FORMAT) return db
  if (format !== undefined) {
    await db.close()
    throw new AsofError(
      'ASOF_STORE_FORMAT',
      `${dir} was written by another version of asof (frontier format ${format}); use that version`,
    )
  }
  const counts: StateCounts = { pending: 0, done: 0, failed: 0, skipped: 0 }
  await db.batch([
    { type: 'put', key: keys.counts, value: counts },
    { type: 'put', key: keys.format, value: FRONTIER_FORMAT },
  ])
  return db
}
