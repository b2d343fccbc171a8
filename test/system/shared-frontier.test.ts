import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { open } from '../../core/index.ts'
import type { CrawlReport } from '../../crawler/index.ts'
import { page, SiteServer } from '../crawler/site-server.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../servers/test-database.ts'
import { run } from './running-command.ts'

if (noDatabase) console.warn(`test/system: ${noDatabase}`)

/** A request as its site saw it. Instants are ms since this process started. */
interface Seen {
  path: string
  by: string
  from: number
  /** When the site began to answer. The crawler cannot have had the answer before. */
  to: number
}

describe.skipIf(noDatabase)('crawlers that share a frontier', () => {
  const hosts = 9
  const pagesPerHost = 40
  /** Redirects of each site to the next one, whose host another crawler may have. */
  const movedPerHost = 10
  const urlsPerHost = pagesPerHost + 2 * movedPerHost
  let dir: string
  let test: TestDatabase
  let sites: SiteServer[]
  let seen: Seen[][]
  let children: ChildProcess[]
  let onRequest: (by: string, isPage: boolean) => void
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'asof-shared-frontier-'))
    test = await createTestDatabase()
    sites = await Promise.all(Array.from({ length: hosts }, () => SiteServer.start()))
    seen = sites.map(() => [])
    children = []
    onRequest = () => {}
    for (const [i, site] of sites.entries()) {
      const answer = (path: string, headers: Record<string, string>, body: string) =>
        site.routes.set(path, (request, response) => {
          const by = request.headers['user-agent'] ?? ''
          const entry: Seen = { path, by, from: performance.now(), to: Number.POSITIVE_INFINITY }
          seen[i]?.push(entry)
          onRequest(by, path !== '/robots.txt')
          // A site takes a while, in which another request would be noticed.
          setTimeout(() => {
            entry.to = performance.now()
            response.writeHead(headers.location === undefined ? 200 : 302, headers).end(body)
          }, 20)
        })
      const html = { 'content-type': 'text/html' }
      answer('/robots.txt', { 'content-type': 'text/plain' }, 'User-agent: *\nDisallow: /private\n')
      const next = sites[(i + 1) % hosts]?.origin
      for (let n = 0; n < pagesPerHost; n++) {
        const links = [`/${2 * n + 1}`, `/${2 * n + 2}`, `${next}/${n}`]
        const known = links.filter(link => Number(link.split('/').at(-1)) < pagesPerHost)
        answer(`/${n}`, html, page(`Site ${i}, number ${n}`, n < movedPerHost ? [...known, `/moved-${n}`] : known))
      }
      for (let n = 0; n < movedPerHost; n++) {
        answer(`/moved-${n}`, { location: `${next}/target-${n}` }, '')
        answer(`/target-${n}`, html, page(`Site ${i}, target ${n}`))
      }
    }
  })
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(sites.map(site => site.close()))
    await test.stop()
    await rm(dir, { recursive: true })
  })

  /** Starts a crawler. Resolves with its report, or with undefined if it was killed. */
  const start = async (name: string): Promise<CrawlReport | undefined> => {
    const script = join(import.meta.dirname, 'shared-crawler.ts')
    const seeds = sites.map(site => `${site.origin}/0`)
    const child = spawn(process.execPath, [script, join(dir, name), test.url, name, ...seeds], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    const [code, signal] = await once(child, 'close')
    if (signal === 'SIGKILL') return undefined
    expect(code).toBe(0)
    return JSON.parse(out) as CrawlReport
  }

  it('capture every page and stay polite, although one is killed in the middle of a request', async () => {
    const names = ['crawler-a', 'crawler-b', 'crawler-c']
    const requestsOf = new Map<string, number>()
    let killed: string | undefined
    onRequest = (by, isPage) => {
      if (!isPage) return
      requestsOf.set(by, (requestsOf.get(by) ?? 0) + 1)
      // All of them are at work, and the one that is killed has pages that it has not committed.
      const areAtWork = names.every(name => (requestsOf.get(name) ?? 0) >= 10)
      if (killed !== undefined || !areAtWork) return
      killed = by
      children[names.indexOf(by)]?.kill('SIGKILL')
    }
    const reports = await Promise.all(names.map(start))
    console.log(`requests: ${JSON.stringify(Object.fromEntries(requestsOf))}, killed: ${killed}`)
    expect(reports.filter(report => report === undefined)).toHaveLength(1)
    for (const report of reports) {
      if (!report) continue
      expect(report).toMatchObject({ finished: true, pending: 0, failed: {} })
      expect(report.known).toEqual({ pending: 0, done: hosts * urlsPerHost, failed: 0, skipped: 0 })
    }

    const engines = await Promise.all(names.map(name => open(join(dir, name, 'index'))))
    const missing: string[] = []
    for (const { origin } of sites) {
      const pages = Array.from({ length: pagesPerHost }, (_, n) => `${origin}/${n}`)
      const targets = Array.from({ length: movedPerHost }, (_, n) => `${origin}/target-${n}`)
      for (const url of [...pages, ...targets]) {
        const held = await Promise.all(engines.map(engine => engine.page(url)))
        if (!held.some(Boolean)) missing.push(url)
      }
    }
    await Promise.all(engines.map(engine => engine.close()))
    expect(missing).toEqual([])

    for (const requests of seen) {
      const inOrder = requests.toSorted((a, b) => a.from - b.from)
      for (const [i, { from }] of inOrder.entries()) {
        const before = inOrder[i - 1]
        // The clock of the database rounds otherwise than ours.
        if (before) expect(from - before.to).toBeGreaterThanOrEqual(148)
      }
      // A page was requested again only if the killed crawler had not committed it.
      for (const [path, visits] of Map.groupBy(inOrder, request => request.path)) {
        if (path === '/robots.txt') expect(new Set(visits.map(({ by }) => by)).size).toBe(visits.length)
        else if (visits.length > 1) expect([visits.length, visits[0]?.by]).toEqual([2, killed])
      }
    }
    // Hosts of the killed crawler were taken over.
    const takenOver = seen.filter(
      requests => requests.some(({ by }) => by === killed) && requests.at(-1)?.by !== killed,
    )
    expect(takenOver.length).toBeGreaterThan(0)
  })

  it('are started as commands with ASOF_DATABASE', async () => {
    const seeds = sites.map(site => `${site.origin}/0`)
    const crawl = (name: string) =>
      run(['crawl', ...seeds, '--allow-private', '--delay-ms', '1', '--json', '--data', join(dir, name)], {
        ASOF_DATABASE: test.url,
      })
    const finished = await Promise.all(['one', 'two'].map(crawl))
    expect(finished.map(({ code }) => code)).toEqual([0, 0])
    const reports = finished.map(({ stdout }) => JSON.parse(stdout) as CrawlReport)
    expect(reports.every(report => report.finished)).toBe(true)
    expect(reports.reduce((sum, { stored }) => sum + stored, 0)).toBe(hosts * (pagesPerHost + movedPerHost))
    expect(seen.flat().filter(({ path }) => path !== '/robots.txt')).toHaveLength(hosts * urlsPerHost)
  })
})
