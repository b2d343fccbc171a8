import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CrawledPage } from '../../../service/contract/crawl-job-schemas.ts'
import type { CrawlJob } from '../../../service/crawl-jobs/job.ts'
import { type JobLimits, JobStore } from '../../../service/crawl-jobs/job-store.ts'
import type { RecordStore } from '../../../service/records/records.ts'

const HOUR_MS = 3_600_000
const madeAt = Date.parse('2025-03-01T12:00:00Z')
const limits: JobLimits = { running: 2, pages: 1_000, pagesPerDay: 30, keepMs: 24 * HOUR_MS }

/** A job of an organization, by its name. */
export function jobOf(id: string, { organization = 'acme', limit = 10, at = madeAt } = {}): CrawlJob {
  const url = 'https://a.example/'
  const ends = { state: 'running' as const, delivered: 0, failed: 0, expiresAt: at + limits.keepMs }
  return { id, organization, url, limit, instant: at, madeAt: at, ...ends }
}

export function pageOf(number: number): CrawledPage {
  const url = `https://a.example/${number}`
  return { url, title: '', content: `page ${number}`, truncated: false, acquired_at: new Date(madeAt).toISOString() }
}

/** What every store of jobs does. @param open - opens empty records, and returns how they are removed. */
export function jobContract(
  name: string,
  open: () => Promise<{ records: RecordStore; remove: () => Promise<void> }>,
): void {
  describe(`a store of crawl jobs ${name}`, () => {
    let store: JobStore
    let remove: () => Promise<void>
    beforeEach(async () => {
      const opened = await open()
      store = await JobStore.open(opened.records)
      remove = async () => {
        await store.close()
        await opened.remove()
      }
    })
    afterEach(() => remove())
    const end = (id: string) => store.end(id, { state: 'completed', endedAt: madeAt })

    it('has the pages and failures of a job in their order, from any number on', async () => {
      await store.make(jobOf('a'), limits)
      for (let i = 0; i < 12; i += 1) expect(await store.deliver('a', pageOf(i))).toBe(true)
      const failure = { url: 'https://a.example/x', error: 'not_indexed', message: 'gone', at: '2025-03-01' }
      await store.fail('a', failure)
      expect(await store.find('a')).toMatchObject({ state: 'running', delivered: 12, failed: 1 })
      expect(await store.pages('a', 9, 2)).toEqual([pageOf(9), pageOf(10)])
      expect(await store.pages('a', 12, 2)).toEqual([])
      expect(await store.failures('a', 0, 10)).toEqual([failure])
    })

    it('adds nothing to a job that has ended, which keeps the state of its first end', async () => {
      await store.make(jobOf('a'), limits)
      await store.end('a', { state: 'cancelled', endedAt: madeAt + 1 })
      expect(await store.deliver('a', pageOf(0))).toBe(false)
      await end('a')
      expect(await store.find('a')).toMatchObject({ state: 'cancelled', endedAt: madeAt + 1, delivered: 0 })
    })

    it('makes as many jobs of an organization at the same time as it may have', async () => {
      const made = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(id => store.make(jobOf(id), limits)))
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
      await store.make(jobOf('f', { organization: 'other' }), limits)
      expect((await store.list('acme')).length).toBe(2)
    })

    it('counts the pages of 24 hours: the limits of running jobs, and the pages that others tried to read', async () => {
      await store.make(jobOf('a', { limit: 25 }), limits)
      const refusal = { kind: 'rate_limited', message: expect.stringContaining('of which 5 are left') }
      await expect(store.make(jobOf('b', { limit: 6 }), limits)).rejects.toMatchObject(refusal)
      await store.deliver('a', pageOf(0))
      const gone = { url: 'https://a.example/x', error: 'not_indexed', message: 'gone', at: '2025-03-01' }
      for (let i = 0; i < 4; i += 1) await store.fail('a', gone)
      await end('a')
      await expect(store.make(jobOf('b', { limit: 26 }), limits)).rejects.toMatchObject({ kind: 'rate_limited' })
      await store.make(jobOf('b', { limit: 25 }), limits)
      await end('b')
      // A job that tried no page counts as one.
      await expect(store.make(jobOf('c', { limit: 25 }), limits)).rejects.toMatchObject({ kind: 'rate_limited' })
      const later = madeAt + 25 * HOUR_MS
      await store.make(jobOf('c', { limit: 30, at: later }), limits)
    })

    it('lists the jobs of an organization, the newest first', async () => {
      for (const [i, id] of ['a', 'b', 'c'].entries()) {
        await store.make(jobOf(id, { at: madeAt + i }), limits)
        await end(id)
      }
      await store.make(jobOf('z', { organization: 'acme2' }), limits)
      expect((await store.list('acme')).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
    })

    it('deletes what has expired, with all pages', async () => {
      await store.make(jobOf('a'), limits)
      for (let i = 0; i < 3; i += 1) await store.deliver('a', pageOf(i))
      await store.make(jobOf('b', { at: madeAt + 1 }), limits)
      await store.deliver('b', pageOf(0))
      await store.deleteExpired(madeAt + limits.keepMs, new AbortController().signal)
      expect(await store.find('a')).toBeUndefined()
      expect(await store.pages('a', 0, 10)).toEqual([])
      expect(await store.find('b')).toMatchObject({ state: 'running' })
      expect(await store.pages('b', 0, 10)).toHaveLength(1)
      // The job had not ended, and is not among the running ones any more.
      await store.make(jobOf('c'), limits)
    })

    it('ends no job that its server runs', async () => {
      await store.make(jobOf('a'), limits)
      await store.endLost('acme', madeAt)
      expect(await store.find('a')).toMatchObject({ state: 'running' })
      await store.release('a')
      await store.endLost('acme', madeAt + 5)
      expect(await store.find('a')).toMatchObject({ state: 'failed', endedAt: madeAt + 5 })
    })
  })
}
