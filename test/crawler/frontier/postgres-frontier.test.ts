import postgres, { type Sql } from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCrawlDatabase } from '../../../crawler/database/crawl-database.ts'
import { PostgresFrontier } from '../../../crawler/frontier/postgres-frontier.ts'
import type { SharedDatabase } from '../../../database/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { frontierContract } from './frontier-contract.ts'

if (noDatabase) console.warn(`test/crawler/frontier: ${noDatabase}`)

describe.skipIf(noDatabase)('in PostgreSQL', () => {
  let test: TestDatabase
  let database: SharedDatabase
  let sql: Sql
  beforeAll(async () => {
    test = await createTestDatabase()
    database = await openCrawlDatabase(test.url)
    sql = postgres(test.url, { onnotice: () => {} })
  })
  afterAll(async () => {
    await sql.end()
    await database.close()
    await test.stop()
  })

  let corpora = 0
  frontierContract('the frontier', async () => {
    const name = `corpus-${corpora++}`
    return { open: () => PostgresFrontier.open(database, name), remove: async () => {} }
  })

  describe('a frontier of several crawlers', () => {
    let name: string
    let opened: PostgresFrontier[]
    let a: PostgresFrontier
    let b: PostgresFrontier
    const join = async () => {
      const frontier = await PostgresFrontier.open(database, name)
      opened.push(frontier)
      return frontier
    }
    const begun = async () => {
      const frontier = await join()
      await frontier.beginRun(1)
      return frontier
    }
    /** Ends the lease of a crawler as if it had not been heard of for its time. */
    const expire = ({ lease: { id } }: PostgresFrontier) =>
      sql`update frontier.crawler set alive_until = clock_timestamp() where id = ${id}`
    const urlsOf = (host: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({ url: `https://${host}/${i}`, depth: 0 }))
    const take = async (frontier: PostgresFrontier, host: string) => {
      const next = await frontier.next(host, 0)
      return next && 'url' in next ? next.url : undefined
    }
    beforeEach(async () => {
      name = `shared-${corpora++}`
      opened = []
      a = await begun()
      b = await begun()
    })
    afterEach(() => Promise.all(opened.map(frontier => frontier.close())))

    it('gives a host to one crawler until that leaves it, and a URL to one until it lands', async () => {
      await a.enqueue(urlsOf('a.org', 3))
      expect([await a.claimHost('a.org'), await b.claimHost('a.org')]).toEqual([true, false])
      expect(await b.nextHost('')).toBeUndefined()
      expect(await b.lookAgainMs()).toBeLessThan(Number.POSITIVE_INFINITY)
      expect([await take(a, 'a.org'), await take(a, 'a.org')]).toEqual(['https://a.org/0', 'https://a.org/1'])
      await a.leaveHost('a.org')
      expect(await b.nextHost('')).toEqual({ host: 'a.org', dueAt: 0 })
      expect([await b.claimHost('a.org'), await a.claimHost('a.org')]).toEqual([true, false])
      expect(b.pendingOf('a.org')).toBe(3)
      expect([await take(b, 'a.org'), await take(b, 'a.org')]).toEqual(['https://a.org/2', undefined])
      await a.putBack('https://a.org/1')
      await a.finish([{ url: 'https://a.org/0', patch: {} }], 0)
      expect([await take(b, 'a.org'), await take(b, 'a.org')]).toEqual(['https://a.org/1', undefined])
      expect(b.counts).toMatchObject({ pending: 3 })
      await b.lookAgainMs()
      expect(b.counts).toMatchObject({ pending: 2, done: 1 })
    })
    it('has the target of a redirect visited by one crawler', async () => {
      await a.enqueue([...urlsOf('a.org', 2), ...urlsOf('b.org', 1)])
      await a.claimHost('a.org')
      await b.claimHost('b.org')
      expect(await take(a, 'a.org')).toBe('https://a.org/0')
      expect(await a.reserve('https://b.org/0', 'https://a.org/0')).toBe(true)
      expect(await a.reserve('https://b.org/0', 'https://a.org/0')).toBe(true)
      expect(await a.reserve('https://unknown.org/', 'https://a.org/0')).toBe(true)
      expect(await take(b, 'b.org')).toBeUndefined()
      await a.retry('https://a.org/0', 0, {})
      expect(await take(b, 'b.org')).toBe('https://b.org/0')
      expect(await b.reserve('https://unknown.org/', 'https://b.org/0')).toBe(true)
      expect(await take(a, 'a.org')).toBe('https://a.org/1')
      expect(await a.reserve('https://b.org/0', 'https://a.org/1')).toBe(false)
      await expire(b)
      expect(await a.reserve('https://b.org/0', 'https://a.org/1')).toBe(true)
    })
    it('gives the hosts of a crawler that died to others when its lease has ended, and takes nothing more from it', async () => {
      await a.enqueue(urlsOf('a.org', 1))
      await a.claimHost('a.org')
      expect(await take(a, 'a.org')).toBe('https://a.org/0')
      expect(await b.claimHost('a.org')).toBe(false)
      await expire(a)
      expect(await b.nextHost('')).toEqual({ host: 'a.org', dueAt: 0 })
      expect(await b.claimHost('a.org')).toBe(true)
      expect(await take(b, 'a.org')).toBe('https://a.org/0')
      const late = a.finish([{ url: 'https://a.org/0', patch: { state: 'failed' } }], 0)
      await expect(late).rejects.toMatchObject({ code: 'ASOF_LEASE_LOST', retryable: true })
      await expect(a.claimHost('a.org')).rejects.toMatchObject({ code: 'ASOF_LEASE_LOST' })
      expect(await b.get('https://a.org/0')).toMatchObject({ state: 'pending' })
      await b.finish([{ url: 'https://a.org/0', patch: {} }], 0)
      expect(await b.lookAgainMs()).toBe(Number.POSITIVE_INFINITY)
      expect(b.counts).toEqual({ pending: 0, done: 1, failed: 0, skipped: 0 })
    })
    it('has one run, which ends for all crawlers at once', async () => {
      expect((await b.beginRun(2)).resumed).toBe(true)
      await b.enqueue(urlsOf('a.org', 1))
      await expect(b.beginRun(2, { dueAt: () => 0 })).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
      await a.finishRun()
      expect(await b.claimHost('a.org')).toBe(false)
      expect(await b.lookAgainMs()).toBe(Number.POSITIVE_INFINITY)
      expect(b.run.state).toBe('finished')
    })
    it('begins a new run when the crawlers of the last one have left it', async () => {
      await a.enqueue(urlsOf('a.org', 2500))
      await a.claimHost('a.org')
      expect(await take(a, 'a.org')).toBe('https://a.org/0')
      await b.finishRun()
      const c = await join()
      let hasBegun = false
      const beginning = c.beginRun(3).finally(() => {
        hasBegun = true
      })
      await b.close()
      await a.finish([{ url: 'https://a.org/0', patch: {} }], 0)
      expect(hasBegun).toBe(false)
      await a.close()
      expect(await beginning).toEqual({ resumed: false })
      opened = [c]
      expect(c.run).toMatchObject({ run: 2, state: 'running' })
      expect(c.pending).toBe(2500)
    })
    it('lets several crawlers queue the known URLs of a new run together', async () => {
      await a.enqueue(urlsOf('a.org', 3500))
      await a.finish(
        urlsOf('a.org', 3500).map(({ url }) => ({ url, patch: {} })),
        0,
      )
      await a.finishRun()
      await Promise.all(opened.splice(0).map(frontier => frontier.close()))
      const others = await Promise.all([join(), join(), join()])
      const results = await Promise.all(others.map(frontier => frontier.beginRun(5)))
      expect(results.filter(({ resumed }) => !resumed)).toHaveLength(1)
      for (const { run, counts } of others) {
        expect(run).toMatchObject({ run: 2, state: 'running' })
        expect(counts).toEqual({ pending: 3500, done: 0, failed: 0, skipped: 0 })
      }
    })
    it('counts requests of all crawlers against one limit', async () => {
      const counted = await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 ? a : b).countFetched(17)))
      expect(counted.filter(Boolean)).toHaveLength(17)
    })
    it('has a sitemap read by one crawler, and by another if that one dies', async () => {
      const claim = { url: 'https://a.org/sitemap.xml', vouchingHost: 'a.org', nowAt: 1 }
      expect([await a.claimSitemap(claim), await b.claimSitemap(claim)]).toEqual(['claimed', 'taken'])
      expect(await b.lookAgainMs()).toBeLessThan(Number.POSITIVE_INFINITY)
      expect(await b.abandonedSitemap()).toBeUndefined()
      await expire(a)
      expect(await b.lookAgainMs()).toBe(Number.POSITIVE_INFINITY)
      expect(await b.abandonedSitemap()).toEqual({ url: claim.url, vouchingHost: 'a.org' })
      expect(await b.claimSitemap(claim)).toBe('claimed')
      await b.markSitemapRead(claim.url, 2)
      expect(await b.abandonedSitemap()).toBeUndefined()
      expect(await b.claimSitemap(claim)).toBe('read')
    })
    it('hands no URL to two crawlers and loses none, while crawlers die and others come', async () => {
      const hosts = Array.from({ length: 7 }, (_, i) => `${i}.org`)
      const pagesPerHost = 40
      const linksOf = (url: string) => {
        const { host, pathname } = new URL(url)
        const n = Number(pathname.slice(1))
        const next = hosts[(hosts.indexOf(host) + 1) % hosts.length]
        return [`https://${host}/${2 * n + 1}`, `https://${host}/${2 * n + 2}`, `https://${next}/${n}`].filter(
          link => Number(new URL(link).pathname.slice(1)) < pagesPerHost,
        )
      }
      await a.enqueue([{ url: 'https://0.org/0', depth: 0 }])
      const flying = new Map<string, PostgresFrontier>()
      let visits = 0
      let deaths = 0
      /** Works until nothing is left, or dies in the middle of a visit. */
      const crawl = async (frontier: PostgresFrontier, diesAfter: number): Promise<void> => {
        for (let mine = 0; ; ) {
          const free = await frontier.nextHost('')
          if (!free) {
            if ((await frontier.lookAgainMs()) === Number.POSITIVE_INFINITY) return
            continue
          }
          if (!(await frontier.claimHost(free.host))) continue
          for (let i = 0; i < 5; i++) {
            const url = await take(frontier, free.host)
            if (url === undefined) break
            expect(flying.get(url)).toBeUndefined()
            flying.set(url, frontier)
            visits++
            await frontier.enqueue(linksOf(url).map(link => ({ url: link, depth: 1 })))
            if (++mine === diesAfter) {
              for (const [held, by] of flying) if (by === frontier) flying.delete(held)
              await expire(frontier)
              deaths++
              await crawl(await begun(), diesAfter + 20)
              return
            }
            flying.delete(url)
            await frontier.finish([{ url, patch: {} }], 0)
          }
          await frontier.leaveHost(free.host)
        }
      }
      await Promise.all([crawl(a, 10), crawl(b, 25), crawl(await begun(), 1000), crawl(await begun(), 17)])
      const last = await begun()
      expect(last.counts).toEqual({ pending: 0, done: hosts.length * pagesPerHost, failed: 0, skipped: 0 })
      expect(deaths).toBeGreaterThanOrEqual(3)
      // Only the visits of crawlers that died were repeated.
      expect(visits).toBe(hosts.length * pagesPerHost + deaths)
      const rows = await sql`
        select record->>'state' as state, count(*)::int, count(due_at)::int as queued from frontier.url
        where crawl = (select id from frontier.crawl where name = ${name}) group by 1`
      expect(rows).toEqual([{ state: 'done', count: hosts.length * pagesPerHost, queued: 0 }])
    })
  })

  it('says what is wrong with the URL or the tables of a database', async () => {
    await expect(openCrawlDatabase('mysql://127.0.0.1/x')).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
    const nowhere = openCrawlDatabase('postgres://u:secret@127.0.0.1:1/x')
    await expect(nowhere).rejects.toMatchObject({ code: 'ASOF_STORE_READ' })
    await expect(nowhere).rejects.not.toThrow(/secret/)
    await sql`insert into frontier.migration (store, step) values ('frontier', 1000)`
    await expect(openCrawlDatabase(test.url)).rejects.toMatchObject({ code: 'ASOF_STORE_FORMAT' })
    await sql`delete from frontier.migration where step = 1000`
    await Promise.all([1, 2, 3].map(async () => (await openCrawlDatabase(test.url)).close()))
  })
})
