import { mkdir } from 'node:fs/promises'
import { ClassicLevel } from 'classic-level'
import { AsofError } from '../core/index.ts'
import { FRONTIER_FORMAT, frontierKeys as keys, type PageRecord, type StateCounts } from './frontier-record.ts'
import { hostWithPort } from './url-host.ts'

/** The LevelDB that a frontier lives in. */
export type FrontierDatabase = ClassicLevel<string, unknown>

/** The databases of the frontiers that are open in this process, by folder as it was named. */
export const openFrontiers = new Map<string, FrontierDatabase>()

/**
 * Opens the database of a frontier; its folder is created. One of an earlier format is brought to today's.
 *
 * @throws ASOF_STORE_LOCKED - another crawl of the same corpus is running.
 * @throws ASOF_STORE_NEWER | ASOF_STORE_READ
 */
export async function openFrontierDatabase(dir: string): Promise<FrontierDatabase> {
  await mkdir(dir, { recursive: true })
  const db: FrontierDatabase = new ClassicLevel(dir, { keyEncoding: 'utf8', valueEncoding: 'json' })
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
    // Format 1 counted only what was pending, and no host's URLs.
    const counts = await countStates(db)
    await db.batch([
      { type: 'put', key: keys.counts, value: counts.states },
      ...[...counts.hosts].map(([host, known]) => ({ type: 'put' as const, key: keys.known(host), value: known })),
      { type: 'put', key: keys.format, value: FRONTIER_FORMAT },
    ])
  }
  openFrontiers.set(dir, db)
  return db
}

async function countStates(db: FrontierDatabase): Promise<{ states: StateCounts; hosts: Map<string, number> }> {
  const states: StateCounts = { pending: 0, done: 0, failed: 0, skipped: 0 }
  const hosts = new Map<string, number>()
  for await (const [key, value] of db.iterator(keys.pageRange())) {
    states[(value as PageRecord).state]++
    const host = hostWithPort(keys.urlOfPage(key))
    hosts.set(host, (hosts.get(host) ?? 0) + 1)
  }
  return { states, hosts }
}
