import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, extract, open } from '../../../core/index.ts'
import { type CrawlOptions, crawl } from '../../../crawler/crawl/crawl.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { page, redirect, SiteServer } from '../site-server.ts'

if (noDatabase) console.warn(`test/crawler/crawl: ${noDatabase}`)

describe.skipIf(noDatabase)('crawlers that share a frontier', () => {
  const pagesPerSite = 8
  let dir: string
  let test: TestDatabase
  let engines: Engine[]
  let sites: SiteServer[]
  /** The maximum number of requests that were running at a site at once. */
  let most: number
  /** The sites answer when this resolves. */
  let mayAnswer: Promise<unknown>
  beforeEach(async () => {
    most = 0
    mayAnswer = Promise.resolve()
    dir = await mkdtemp(join(tmpdir(), 'asof-shared-crawl-'))
    test = await createTestDatabase()
    engines = await Promise.all([0, 1, 2].map(() => open(':memory:')))
    sites = await Promise.all(Array.from({ length: 5 }, () => SiteServer.start()))
    for (const [i, site] of sites.entries()) {
      let running = 0
      site.routes.set('/robots.txt', `User-agent: *\nSitemap: ${site.origin}/sitemap.xml\n`)
      site.routes.set('/sitemap.xml', `<urlset><url><loc>${site.origin}/listed</loc></url></urlset>`)
      site.routes.set('/listed', page(`Site ${i}, only in its sitemap`))
      for (let n = 0; n < pagesPerSite; n++) {
        const next = sites[(i + 1) % sites.length]?.origin
        const links = [`/${2 * n + 1}`, `/${2 * n + 2}`, `${next}/${n}`].filter(
          link => Number(link.split('/').at(-1)) < pagesPerSite,
        )
        site.routes.set(`/${n}`, (_, response) => {
          most = Math.max(most, ++running)
          void mayAnswer.then(() => {
            running--
            response.writeHead(200, { 'content-type': 'text/html' }).end(page(`Site ${i}, number ${n}`, links))
          })
        })
      }
    }
    // The last site is not a seed: it joins the scope because a seed redirects to it.
    sites[0]?.routes.set('/moved', redirect(`${sites.at(-1)?.origin}/0`))
  })
  afterEach(async () => {
    await Promise.all(engines.map(engine => engine.close()))
    await Promise.all(sites.map(site => site.close()))
    await test.stop()
    await rm(dir, { recursive: true })
  })
  const run = (i: number, options: Partial<CrawlOptions> = {}) =>
    crawl(engines[i] as Engine, [`${sites[0]?.origin}/moved`, ...sites.slice(0, -1).map(site => `${site.origin}/0`)], {
      dir: join(dir, `crawl-${i}`),
      database: test.url,
      allowPrivate: true,
      delayMs: 1,
      retryDelayMs: 1,
      extract,
      ...options,
    })
  /** Runs a crawler on each engine. The sites answer when all have begun, since one that begins when the others have ended begins a new run. */
  const runTogether = (options: Partial<CrawlOptions> = {}) => {
    const begun = Promise.withResolvers<void>()
    mayAnswer = begun.promise
    let left = engines.length
    const onProgress: CrawlOptions['onProgress'] = ({ kind }) => {
      if (kind === 'started' && --left === 0) begun.resolve()
    }
    return Promise.all(engines.map((_, i) => run(i, { ...options, onProgress })))
  }
  const paths = ['/robots.txt', '/sitemap.xml', '/listed', ...Array.from({ length: pagesPerSite }, (_, n) => `/${n}`)]

  it('fetch every page once, one at a time of each host, and end together', async () => {
    const reports = await runTogether()
    for (const { failures, ...report } of reports) {
      expect(failures).toEqual([])
      expect(report).toMatchObject({ finished: true, pending: 0, failed: {} })
      expect(report.known).toEqual({ pending: 0, done: sites.length * (pagesPerSite + 1) + 1, failed: 0, skipped: 0 })
    }
    expect(reports.reduce((sum, { fetched }) => sum + fetched, 0)).toBe(sites.length * (pagesPerSite + 1))
    expect(most).toBe(1)
    for (const site of sites) {
      const asked = site.asked().filter(path => path !== '/moved')
      expect(asked.toSorted()).toEqual(paths.filter(path => path !== '/robots.txt').toSorted())
      const holders = await Promise.all(
        asked
          .filter(path => path !== '/sitemap.xml')
          .map(async path => {
            const found = await Promise.all(engines.map(engine => engine.page(site.origin + path)))
            return found.filter(Boolean).length
          }),
      )
      expect(new Set(holders)).toEqual(new Set([1]))
    }
    // The next run visits every page again, once.
    const before = sites.map(site => site.requests.length)
    const again = await Promise.all([run(0), run(1), run(2)])
    expect(again.every(({ finished }) => finished)).toBe(true)
    for (const [i, site] of sites.entries()) {
      const pages = site.requests.slice(before[i]).filter(({ path }) => /^\/(\d+|listed)$/.test(path))
      expect(pages.map(({ path }) => path).toSorted()).toEqual(
        paths.filter(path => /^\/(\d+|listed)$/.test(path)).toSorted(),
      )
    }
  })

  it('request no more pages than the limit of a run allows, together', async () => {
    const reports = await runTogether({ maxPages: 20 })
    expect(reports.reduce((sum, { fetched }) => sum + fetched, 0)).toBe(20)
    expect(reports.every(({ finished }) => finished)).toBe(true)
  })

  it('read a sitemap that a crawler was reading when it died', async () => {
    const [site] = sites
    const file = `${site?.origin}/abandoned.xml`
    site?.routes.set('/abandoned.xml', `<urlset><url><loc>${site.origin}/abandoned</loc></url></urlset>`)
    site?.routes.set('/abandoned', page('Listed where nobody looks'))
    await run(0, { maxPages: 1 })
    const sql = postgres(test.url, { onnotice: () => {} })
    await sql`
      insert into frontier.sitemap (crawl, id, url, vouching_host, reader)
      select id, encode(substr(sha256(convert_to(${file}, 'utf8')), 1, 16), 'hex')::uuid, ${file}, ${new URL(file).host},
        gen_random_uuid()
      from frontier.crawl`
    await sql.end()
    expect(await run(1)).toMatchObject({ finished: true, pending: 0, failed: {} })
    expect(await engines[1]?.page(`${site?.origin}/abandoned`)).toBeDefined()
    expect(site?.asked('/abandoned.xml')).toHaveLength(1)
  })

  it('end when their lease is lost, and the next crawl misses no page', async () => {
    const sql = postgres(test.url, { onnotice: () => {} })
    let isExpired = false
    const expired = run(0, {
      onProgress: event => {
        if (isExpired || event.kind !== 'page' || event.report.fetched < 20) return
        isExpired = true
        mayAnswer = sql`update frontier.crawler set alive_until = clock_timestamp()`.execute()
      },
    })
    await expect(expired).rejects.toMatchObject({ code: 'ASOF_LEASE_LOST' })
    await sql.end()
    const report = await run(0)
    expect(report).toMatchObject({ finished: true, pending: 0, failed: {} })
    expect(report.known.done).toBe(sites.length * (pagesPerSite + 1) + 1)
  })
})
