import { setTimeout } from 'node:timers/promises'
import { AsofError } from '@asof/core'
import { only, type SharedDatabase } from '../../database/index.ts'
import type { RevisitPolicy } from './frontier.ts'
import type { FrontierRecord, RunRecord } from './frontier-record.ts'
import { type FrontierChange, type WriteTarget, writeUrls } from './url-rows.ts'

const REQUEUED_AT_ONCE = 1000
/** Wait before looking again whether the crawlers of the last run have left it, ms. */
const LEFT_CHECK_MS = 200

interface RunRow {
  run: number
  state: RunRecord['state']
  watch: boolean
  startedAt: number
  cursor: string | null
  fetched: number
}

/** Reads the current run of a crawl. */
export async function readRun(database: SharedDatabase, crawl: number): Promise<RunRecord> {
  const rows = await database.read(
    sql => sql<RunRow[]>`
      select run, state, watch, started_at as "startedAt", cursor, fetched from frontier.crawl where id = ${crawl}`,
  )
  return runOf(only(rows))
}

/**
 * Takes part in the unfinished run of a crawl, or begins a new one.
 *
 * @throws ASOF_STORE_LOCKED - other crawlers are in a run of the other kind: watched, or not.
 */
export async function beginRun(
  database: SharedDatabase,
  { crawl, crawler }: WriteTarget,
  { nowAt, watch }: { nowAt: number; watch: boolean },
): Promise<{ run: RunRecord; resumed: boolean }> {
  for (;;) {
    const begun = await database.transaction(async tx => {
      const row = only(
        await tx<RunRow[]>`
          select run, state, watch, started_at as "startedAt", cursor, fetched
          from frontier.crawl where id = ${crawl} for update`,
      )
      const run = runOf(row)
      const resumed = run.state !== 'finished' && row.watch === watch
      if (!resumed) {
        const others = await tx`
          select id from frontier.crawler
          where crawl = ${crawl} and run = ${run.run} and id <> ${crawler} and alive_until > clock_timestamp()`
        if (others.length > 0 && run.state !== 'finished') {
          throw new AsofError(
            'ASOF_STORE_LOCKED',
            row.watch
              ? 'other crawlers watch this corpus; start this one with watch too, or stop them first'
              : 'other crawlers visit each page of this corpus once; start this one without watch too, or stop them first',
          )
        }
        // They may still record their last pages, which belong to the run before.
        if (others.length > 0) return undefined
        await tx`
          delete from frontier.taken t where crawl = ${crawl} and not exists (
            select from frontier.crawler o where o.id = t.taker and o.alive_until > clock_timestamp())`
        await tx`
          update frontier.crawl set run = run + 1, state = 'requeueing', watch = ${watch},
            started_at = ${Math.floor(nowAt)}, cursor = null, fetched = 0
          where id = ${crawl}`
      }
      const number = resumed ? run.run : run.run + 1
      await tx`update frontier.crawler set run = ${number} where id = ${crawler}`
      const first: RunRecord = {
        run: number,
        state: 'requeueing',
        startedAt: nowAt,
        fetched: 0,
        watch: watch || undefined,
      }
      return { run: resumed ? run : first, resumed }
    })
    if (begun) return begun
    await setTimeout(LEFT_CHECK_MS)
  }
}

/** Queues the next 1,000 known URLs for a new run. Several crawlers may do so, each in its turn. Returns the run. */
export async function requeueSome(
  database: SharedDatabase,
  target: WriteTarget,
  { run, policy, nowAt }: { run: RunRecord; policy: RevisitPolicy; nowAt: number },
): Promise<RunRecord> {
  const { crawl } = target
  await database.transaction(async tx => {
    const [at] = await tx<{ cursor: string | null }[]>`
      select cursor from frontier.crawl
      where id = ${crawl} and run = ${run.run} and state = 'requeueing' for update`
    if (!at) return
    const rows = await tx<{ id: string; url: string; record: FrontierRecord }[]>`
      select id, url, record from frontier.url
      where crawl = ${crawl} and (${at.cursor}::uuid is null or id > ${at.cursor}::uuid)
      order by id limit ${REQUEUED_AT_ONCE} for update`
    const changes = rows.flatMap(({ url, record }) => requeued(url, record, policy, nowAt) ?? [])
    if (changes.length > 0) await writeUrls(tx, target, changes)
    const last = rows.at(-1)
    if (last && rows.length === REQUEUED_AT_ONCE)
      await tx`update frontier.crawl set cursor = ${last.id} where id = ${crawl}`
    else await tx`update frontier.crawl set cursor = null, state = 'running' where id = ${crawl}`
  })
  return await readRun(database, crawl)
}

/** Returns how a new run queues a known URL; undefined if it is queued already. */
function requeued(
  url: string,
  record: FrontierRecord,
  { priority, dueAt }: RevisitPolicy,
  nowAt: number,
): FrontierChange | undefined {
  if (record.state === 'pending') return undefined
  if (dueAt) {
    const place = { dueAt: Math.floor(dueAt(record, nowAt)), priority: record.priority }
    return { url, before: record, after: { ...record, attempts: 0 }, place }
  }
  const place = { dueAt: 0, priority: priority?.(record, nowAt) ?? record.priority }
  return { url, before: record, after: { ...record, state: 'pending', attempts: 0 }, place }
}

function runOf({ watch, cursor, ...run }: RunRow): RunRecord {
  return { ...run, watch: watch || undefined, cursor: cursor ?? undefined }
}
