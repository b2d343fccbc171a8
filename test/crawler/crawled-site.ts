import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { type Engine, extract, open } from '../../core/index.ts'
import { type CrawlOptions, crawl } from '../../crawler/crawl/crawl.ts'
import type { CrawlReport } from '../../crawler/report/crawl-report.ts'
import { page, type Route, SiteServer } from './site-server.ts'

export let dir: string
export let engine: Engine
export let site: SiteServer

/** Gives each test of the file an empty index, a folder for crawls, and a site with a home page. */
export function useCrawledSite(): void {
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'asof-crawl-'))
    engine = await open(':memory:')
    site = await SiteServer.start({ '/': page('Home') })
  })
  afterEach(async () => {
    await engine.close()
    await site.close()
    await rm(dir, { recursive: true })
  })
}

/** Crawls the site, without pauses. The extraction processes are those of all tests, unless `extract` is undefined. */
export const run = (options: Partial<CrawlOptions> = {}, seeds: string[] = [`${site.origin}/`]): Promise<CrawlReport> =>
  crawl(engine, seeds, {
    dir: join(dir, 'crawl'),
    allowPrivate: true,
    delayMs: 0,
    retryDelayMs: 1,
    extract,
    ...options,
  })
export const routes = (more: Record<string, Route>): void => {
  for (const [path, route] of Object.entries(more)) site.routes.set(path, route)
}
export const at = (path: string): string => site.origin + path
export const titleOf = async (path: string): Promise<string | undefined> => (await engine.page(at(path)))?.title
