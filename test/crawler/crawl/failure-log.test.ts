import { appendFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FailureLog, listFailures } from '../../../crawler/crawl/failure-log.ts'
import type { CrawlFailure } from '../../../crawler/report/crawl-report.ts'
import { at, dir, routes, run, useCrawledSite } from '../crawled-site.ts'
import { page } from '../site-server.ts'

useCrawledSite()

async function listed(name: string): Promise<CrawlFailure[]> {
  const failures: CrawlFailure[] = []
  for await (const failure of listFailures(join(dir, 'crawl'), name)) failures.push(failure)
  return failures
}

it('has every failure of the last run, with the page or sitemap that led to it; the report has the first 100', async () => {
  const missing = Array.from({ length: 120 }, (_, i) => `/missing/${i}`)
  routes({
    '/robots.txt': `User-agent: *\nSitemap: ${at('/sitemap.xml')}\n`,
    '/sitemap.xml': `<urlset><url><loc>${at('/unlinked')}</loc></url></urlset>`,
    '/': page('Home', ['/list']),
    '/list': page('List', missing),
  })
  const report = await run({}, [at('/'), at('/gone')])
  expect(report).toMatchObject({ stored: 2, failed: { ASOF_FETCH_STATUS: 122 } })
  expect(report.failures).toHaveLength(100)
  const failures = await listed(report.name)
  expect(failures.slice(0, 100)).toEqual(report.failures)
  const foundOn = new Map(failures.map(failure => [failure.url, failure.foundOn]))
  expect(foundOn.size).toBe(122)
  for (const path of missing) expect(foundOn.get(at(path)), path).toBe(at('/list'))
  expect(foundOn.get(at('/unlinked'))).toBe(at('/sitemap.xml'))
  expect(foundOn.get(at('/gone'))).toBeUndefined()

  routes({ '/gone': page('Back again') })
  await run({}, [at('/'), at('/gone')])
  expect((await listed(report.name)).map(({ url }) => url)).not.toContain(at('/gone'))
})

it('keeps the failures before an interruption, and ignores half a line that a killed process left', async () => {
  await run()
  const add = (url: string, resumes: boolean) => {
    const log = new FailureLog(join(dir, 'crawl'), 'docs', resumes)
    log.add({ url, code: 'ASOF_FETCH_STATUS', message: 'status 404' })
    log.close()
  }
  add('https://a.org/1', false)
  await appendFile(join(dir, 'crawl', 'docs.failures.jsonl'), '{"url":"https://a.o')
  add('https://a.org/2', true)
  expect((await listed('docs')).map(({ url }) => url)).toEqual(['https://a.org/1', 'https://a.org/2'])
  add('https://a.org/3', false)
  expect((await listed('docs')).map(({ url }) => url)).toEqual(['https://a.org/3'])
  expect(await listed('other')).toEqual([])
})

it('is begun anew when it reaches 64 MiB, because a crawl that watches never ends', async () => {
  await run()
  const log = new FailureLog(join(dir, 'crawl'), 'docs', false)
  const message = 'x'.repeat(1024 * 1024)
  for (let i = 0; i < 66; i++) log.add({ url: `https://a.org/${i}`, code: 'ASOF_FETCH_STATUS', message })
  log.close()
  expect((await stat(join(dir, 'crawl', 'docs.failures.jsonl'))).size).toBeLessThan(64 * 1024 * 1024)
  expect((await listed('docs')).at(-1)?.url).toBe('https://a.org/65')
})
