import { mkdir } from 'node:fs/promises'
import { AsofError } from '@asof/core'
import { ClassicLevel } from 'classic-level'
import {
  FRONTIER_FORMAT,
  type HostCounts,
  frontierKeys as keys,
  type PageRecord,
  type StateCounts,
} from './frontier-record.ts'
import { hostWithPort } from './url-host.ts'

/** The LevelDB that a frontier lives in. */
export type FrontierDatabase = ClassicLevel<string, unknown>

/**
 * Larger buffers and files than LevelDB's default: keys come in no order, so each compaction meets most files of the next
 * level, and with fewer of them a URL costs a seventh less. It keeps an index and a filter in memory of each file that it
 * has open.
 */
const databaseOptions = {
  ...({ keyEncoding: 'utf8', valueEncoding: 'json' } as const),
  writeBufferSize: 16 * 1024 * 1024,
  maxFileSize: 8 * 1024 * 1024,
  maxOpenFiles: 300,
}

/**
 * Opens the database of a frontier; its folder is created. One of an earlier format is brought to today's.
 *
 * @throws ASOF_STORE_LOCKED - another crawl of the same corpus is running.
 * @throws ASOF_STORE_NEWER | ASOF_STORE_READ
 */
export async function openFrontierDatabase(dir: string): Promise<FrontierDatabase> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const db: FrontierDatabase = new ClassicLevel(dir, databaseOptions)
  try {
    await db.open()
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    const locked = cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED'
    if (locked) throw new AsofError('ASOF_STORE_LOCKED', `${dir} is in use by another crawl`, { cause: error })
    throw new AsofError('ASOF_STORE_READ', `${dir}: the crawl's frontier cannot be opened`, { cause: error })
  }
  const format = await db.get(keys.format)
  if (format !== undefined && Number(format) > FRONTIER_FORMAT) {
    await db.close()
    throw new AsofError('ASOF_STORE_NEWER', `${dir} was written by a newer version (frontier format ${format})`)
  }
  if (format !== FRONTIER_FORMAT) {
    // Format 1 counted only what was pending, and no host's URLs; format 2 not which of a host's URLs were pending.
    const counts = await countUrls(db)
    await db.batch([
      { type: 'put', key: keys.counts, value: counts.states },
      ...[...counts.hosts].map(([host, value]) => ({ type: 'put' as const, key: keys.hostCounts(host), value })),
      { type: 'put', key: keys.format, value: FRONTIER_FORMAT },
    ])
  }
  return db
}

async function countUrls(db: FrontierDatabase): Promise<{ states: StateCounts; hosts: Map<string, HostCounts> }> {
  const states: StateCounts = { pending: 0, done: 0, failed: 0, skipped: 0 }
  const hosts = new Map<string, HostCounts>()
  for await (const [key, value] of db.iterator(keys.pageRange())) {
    const { state } = value as PageRecord
    states[state]++
    const host = hostWithPort(keys.urlOfPage(key))
    const counts = hosts.get(host) ?? { known: 0, pending: 0 }
    hosts.set(host, counts)
    counts.known++
    if (state === 'pending') counts.pending++
  }
  return { states, hosts }
}
