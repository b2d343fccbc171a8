import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Frontier } from '../../../crawler/frontier/frontier.ts'
import type { FrontierRecord } from '../../../crawler/frontier/frontier-record.ts'

/** Where a frontier of a test is kept. */
export interface FrontierPlace {
  open(): Promise<Frontier>
  remove(): Promise<void>
}

/** What every `Frontier` does, wherever it is kept. */
export function frontierContract(name: string, make: () => Promise<FrontierPlace>): void {
  describe(name, () => {
    let place: FrontierPlace
    let frontier: Frontier
    beforeEach(async () => {
      place = await make()
      frontier = await place.open()
      await frontier.beginRun(1)
    })
    afterEach(async () => {
      await frontier.close()
      await place.remove()
    })
    const reopen = async () => {
      await frontier.close()
      frontier = await place.open()
    }
    const nextOf = async (host: string, nowAt: number) => {
      expect(await frontier.claimHost(host)).toBe(true)
      return await frontier.next(host, nowAt)
    }
    const take = async (host = 'a.org', nowAt = 0) => {
      const next = await nextOf(host, nowAt)
      return next && ('url' in next ? next.url : next.dueAt)
    }

    it('knows each URL once', async () => {
      const item = { url: 'https://a.org/1', depth: 0 }
      expect(await frontier.enqueue([item, item])).toHaveLength(1)
      expect(await frontier.enqueue([item])).toHaveLength(0)
      expect(frontier.pending).toBe(1)
    })
    it('hands out the URLs of a host by priority, depth and arrival, each once', async () => {
      await frontier.enqueue([
        { url: 'https://a.org/deep', depth: 2 },
        { url: 'https://a.org/first', depth: 1 },
        { url: 'https://a.org/second', depth: 1 },
        { url: 'https://a.org/seed', depth: 9, priority: 0 },
        { url: 'https://b.org/', depth: 0 },
      ])
      const got = [await take(), await take(), await take(), await take(), await take()]
      expect(got).toEqual([
        'https://a.org/seed',
        'https://a.org/first',
        'https://a.org/second',
        'https://a.org/deep',
        undefined,
      ])
    })
    it('lists the hosts that have a queue', async () => {
      await frontier.enqueue(
        ['https://b.org/', 'https://a.org/', 'https://a.org:8080/', 'https://a.organic/'].map(url => ({
          url,
          depth: 0,
        })),
      )
      const hosts: string[] = []
      for (let next = await frontier.nextHost(''); next; next = await frontier.nextHost(next.host))
        hosts.push(next.host)
      expect(hosts).toEqual(['a.org', 'a.org:8080', 'a.organic', 'b.org'])
    })
    it('hands out a URL that is added later but sorts first', async () => {
      await frontier.enqueue([{ url: 'https://a.org/2', depth: 2 }])
      expect(await take()).toBe('https://a.org/2')
      await frontier.enqueue([{ url: 'https://a.org/1', depth: 1 }])
      expect(await take()).toBe('https://a.org/1')
    })
    it('has URLs that were in flight pending again after a reopen, and keeps finished ones', async () => {
      await frontier.enqueue([1, 2, 3].map(i => ({ url: `https://a.org/${i}`, depth: 0 })))
      await take()
      await take()
      await frontier.finish([{ url: 'https://a.org/1', patch: { etag: '"x\0\ud800' } }], 0)
      expect(frontier.pending).toBe(2)
      await reopen()
      expect(frontier.pending).toBe(2)
      expect((await frontier.beginRun(2)).resumed).toBe(true)
      expect([await take(), await take(), await take()]).toEqual(['https://a.org/2', 'https://a.org/3', undefined])
      expect(await frontier.get('https://a.org/1')).toMatchObject({ state: 'done', etag: '"x\0\ud800', run: 1 })
    })
    it('hands out a retried URL only when it is due', async () => {
      await frontier.enqueue([{ url: 'https://a.org/', depth: 0 }])
      await take()
      await frontier.retry('https://a.org/', 5000, { attempts: 1 })
      expect(await take('a.org', 4999)).toBe(5000)
      const next = await nextOf('a.org', 5000)
      expect(next && 'record' in next && next.record.attempts).toBe(1)
      expect(frontier.pending).toBe(1)
    })
    it('puts a URL back as if it had never been handed out', async () => {
      await frontier.enqueue([{ url: 'https://a.org/', depth: 0 }])
      const next = await nextOf('a.org', 0)
      if (!next || !('record' in next)) throw new Error('nothing queued')
      await frontier.putBack(next.url)
      expect(await take()).toBe('https://a.org/')
    })
    it('starts a new run with every known URL', async () => {
      const urls = Array.from({ length: 2500 }, (_, i) => ({ url: `https://a.org/${i}`, depth: 0 }))
      await frontier.enqueue(urls)
      await frontier.finish(
        urls.map(({ url }) => ({ url, patch: { attempts: 2 } })),
        0,
      )
      expect(frontier.pending).toBe(0)
      await frontier.finishRun()
      expect((await frontier.beginRun(3, { priority: () => 7 })).resumed).toBe(false)
      expect(frontier.run).toMatchObject({ run: 2, state: 'running', startedAt: 3, fetched: 0 })
      expect(frontier.pending).toBe(2500)
      expect(await frontier.get('https://a.org/999')).toMatchObject({ state: 'pending', attempts: 0, run: 1 })
    })
    it('counts URLs by state and by host exactly, also after a reopen', async () => {
      await frontier.enqueue([1, 2, 3, 4].map(i => ({ url: `https://a.org/${i}`, depth: 0 })))
      await frontier.finish(
        [
          { url: 'https://a.org/1', patch: {} },
          { url: 'https://a.org/2', patch: { state: 'failed' } },
          { url: 'https://a.org/new', patch: { state: 'skipped' } },
        ],
        0,
      )
      await frontier.finish([{ url: 'https://a.org/2', patch: {} }], 0)
      const counts = { pending: 2, done: 2, failed: 0, skipped: 1 }
      const agrees = async () => {
        for (const host of ['a.org', 'b.org']) expect(await frontier.claimHost(host)).toBe(true)
        expect(frontier.counts).toEqual(counts)
        expect(['a.org', 'b.org'].map(host => frontier.pendingOf(host))).toEqual([2, 0])
      }
      await agrees()
      await reopen()
      await agrees()
      await frontier.retry('https://a.org/3', 0, {})
      await frontier.finishRun()
      await frontier.beginRun(9)
      await frontier.claimHost('a.org')
      expect(frontier.pendingOf('a.org')).toBe(5)
    })
    it('moves a URL forward that many links lead to, and one that has changed according to its site', async () => {
      const later = { url: 'https://a.org/later', depth: 1 }
      const changed = { url: 'https://a.org/changed', depth: 9 }
      await frontier.enqueue([{ url: 'https://a.org/1', depth: 0 }, later, changed])
      await frontier.finish([{ url: changed.url, patch: { lastFetchedAt: 1000 } }], 1_000)
      await frontier.finishRun()
      await frontier.beginRun(5000)
      for (let links = 0; links < 20; links++) await frontier.enqueue([later])
      await frontier.enqueue([{ ...changed, changedAt: 900 }])
      const order = async () => [await take(), await take(), await take()].map(url => String(url).slice(14))
      const next = await nextOf('a.org', 0)
      if (next && 'record' in next) await frontier.putBack(next.url)
      expect(next && 'url' in next && next.url).toBe('https://a.org/later')
      await frontier.enqueue([{ ...changed, changedAt: 1001 }])
      expect(await order()).toEqual(['changed', 'later', '1'])
    })
    it('adds no more URLs than its limits allow, per host and in total', async () => {
      frontier.limit({ perHost: 2, total: 3 })
      const urls = ['a.org/1', 'a.org/2', 'a.org/3', 'b.org/1', 'b.org/2'].map(rest => ({
        url: `https://${rest}`,
        depth: 0,
      }))
      expect((await frontier.enqueue(urls)).map(({ url }) => url.slice(8))).toEqual(['a.org/1', 'a.org/2', 'b.org/1'])
      await reopen()
      frontier.limit({ perHost: 2 })
      expect(await frontier.enqueue([{ url: 'https://a.org/4', depth: 0 }])).toEqual([])
      expect(await frontier.enqueue([{ url: 'https://b.org/4', depth: 0 }])).toHaveLength(1)
    })
    it('hands out each page of a watched run again when it is due, and every page in the next ordinary run', async () => {
      const watch = { dueAt: (record: FrontierRecord, now: number) => (record.lastFetchedAt ?? now) + 1000 }
      await frontier.enqueue(['done', 'new'].map(name => ({ url: `https://a.org/${name}`, depth: 0 })))
      await frontier.finish([{ url: 'https://a.org/done', patch: { lastFetchedAt: 500 } }], 500)
      // The run before was not finished: pending pages are due at once, done ones when the policy says.
      expect((await frontier.beginRun(600, watch)).resumed).toBe(false)
      expect([await take('a.org', 600), await take('a.org', 600), await take('a.org', 1500)]).toEqual([
        'https://a.org/new',
        1500,
        'https://a.org/done',
      ])
      await frontier.finish([{ url: 'https://a.org/new', patch: { lastFetchedAt: 700 } }], 700)
      expect(frontier.counts).toEqual({ pending: 0, done: 2, failed: 0, skipped: 0 })
      await reopen()
      expect((await frontier.beginRun(800, watch)).resumed).toBe(true)
      expect(await take('a.org', 1600)).toBe('https://a.org/done')
      await frontier.finish([{ url: 'https://a.org/done', patch: { lastFetchedAt: 1600 } }], 1600)
      expect(await take('a.org', 1600)).toBe(1700)
      await frontier.beginRun(1650)
      expect(frontier.pending).toBe(2)
      expect([await take('a.org', 0), await take('a.org', 0), await take('a.org', 0)]).toEqual([
        'https://a.org/done',
        'https://a.org/new',
        undefined,
      ])
    })
    it('keeps where texts are stored until they are removed', async () => {
      const text = { host: 'a.org', textHash: 'h' }
      await frontier.finish([], 0, [{ ...text, storedAs: 'https://a.org/' }])
      await reopen()
      expect(await frontier.findText('a.org', 'h')).toBe('https://a.org/')
      await frontier.finish([], 0, [{ ...text, storedAs: undefined }])
      expect(await frontier.findText('a.org', 'h')).toBeUndefined()
    })
    it('counts requests up to the limit of the run, also after a reopen', async () => {
      expect([await frontier.countFetched(2), await frontier.countFetched(2)]).toEqual([true, true])
      expect(await frontier.countFetched(2)).toBe(false)
      expect(await frontier.countFetched()).toBe(true)
      expect(frontier.run.fetched).toBe(3)
      await reopen()
      expect(frontier.run.fetched).toBe(3)
      expect(await frontier.countFetched(3)).toBe(false)
    })
    it('has each sitemap read once in a run, or once in an interval', async () => {
      const url = 'https://a.org/sitemap.xml'
      expect(await frontier.claimSitemap({ url, nowAt: 10 })).toBe('claimed')
      await frontier.markSitemapRead(url, 10)
      await reopen()
      expect(await frontier.claimSitemap({ url, nowAt: 20 })).toBe('read')
      expect(await frontier.claimSitemap({ url, nowAt: 14, intervalMs: 5 })).toBe('read')
      expect(await frontier.claimSitemap({ url, nowAt: 15, intervalMs: 5 })).toBe('claimed')
      await frontier.markSitemapRead(url, 15)
      await frontier.finishRun()
      await frontier.beginRun(20)
      expect(await frontier.claimSitemap({ url, nowAt: 20 })).toBe('claimed')
    })
    it('keeps facts under any name, and the hosts that joined the scope', async () => {
      const odd = `parameter a.org ${'\0'}\ud800 `.repeat(300)
      await frontier.learn(
        new Map<string, unknown>([
          ['plain', { same: 2 }],
          [odd, { name: '\0' }],
        ]),
      )
      await frontier.learn(new Map([['plain', { same: 3 }]]))
      await frontier.addScopeHost('https://www.b.org/x')
      await frontier.addScopeHost('https://www.b.org/x')
      await reopen()
      expect(await frontier.facts(['plain', 'none', odd])).toEqual([{ same: 3 }, undefined, { name: '\0' }])
      expect(await frontier.scopeHosts()).toEqual(['https://www.b.org/x'])
    })
    it('yields when each queued URL is due', async () => {
      await frontier.enqueue(['a.org/1', 'a.org/2', 'b.org/1'].map(rest => ({ url: `https://${rest}`, depth: 0 })))
      await take()
      await frontier.retry('https://a.org/1', 700, {})
      await frontier.finish([{ url: 'https://b.org/1', patch: {} }], 0)
      const times: number[] = []
      for await (const dueAt of frontier.dueTimes()) times.push(dueAt)
      expect(times.sort((a, b) => a - b)).toEqual([0, 700])
    })
    it('agrees with a model through random histories', async () => {
      const url = fc.nat({ max: 12 }).map(n => `https://${n % 3 === 0 ? 'a' : 'b'}.org/${n}`)
      const step = fc.oneof(
        fc.record({ do: fc.constant('enqueue' as const), url, depth: fc.nat({ max: 3 }) }),
        fc.record({ do: fc.constant('take' as const), host: fc.constantFrom('a.org', 'b.org') }),
        fc.record({ do: fc.constantFrom('finish' as const, 'retry' as const), pick: fc.nat() }),
        fc.record({ do: fc.constant('reopen' as const) }),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
          const another = await make()
          let real = await another.open()
          await real.beginRun(0)
          const pending = new Set<string>()
          const finished = new Set<string>()
          let flying: string[] = []
          for (const each of steps) {
            if (each.do === 'enqueue') {
              await real.enqueue([each])
              if (!finished.has(each.url)) pending.add(each.url)
            } else if (each.do === 'take') {
              expect(await real.claimHost(each.host)).toBe(true)
              const next = await real.next(each.host, 0)
              const ready = [...pending].filter(known => new URL(known).host === each.host && !flying.includes(known))
              if (!next || !('url' in next)) expect(ready).toEqual([])
              else {
                expect(ready).toContain(next.url)
                flying.push(next.url)
              }
            } else if (each.do === 'reopen') {
              await real.close()
              real = await another.open()
              flying = []
            } else if (flying.length > 0) {
              const picked = flying.splice(each.pick % flying.length, 1)[0]!
              if (each.do === 'retry') await real.retry(picked, 0, { attempts: 1 })
              else {
                await real.finish([{ url: picked, patch: {} }], 0)
                pending.delete(picked)
                finished.add(picked)
              }
            }
            expect(real.pending).toBe(pending.size)
          }
          await real.close()
          await another.remove()
        }),
        { numRuns: 25 },
      )
    })
  })
}
