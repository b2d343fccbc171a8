import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseCorpus } from '../../../crawler/corpus/corpus.ts'
import { Scope } from '../../../crawler/discovery/scope.ts'
import { Fetcher } from '../../../crawler/fetch/fetcher.ts'
import type { FrontierRecord } from '../../../crawler/frontier/frontier-record.ts'
import { LevelFrontier } from '../../../crawler/frontier/level-frontier.ts'
import { OriginRules } from '../../../crawler/politeness/origin-rules.ts'
import { Politeness } from '../../../crawler/politeness/politeness.ts'
import { RobotsCache } from '../../../crawler/politeness/robots-cache.ts'
import { Semaphore } from '../../../crawler/politeness/semaphore.ts'
import { systemTimers } from '../../../crawler/timers.ts'
import type { CaptureBuffer } from '../../../crawler/visit/capture-buffer.ts'
import { type PageAnswer, PageRequests } from '../../../crawler/visit/page-request.ts'
import { page, redirect, SiteServer } from '../site-server.ts'

let dir: string
let site: SiteServer
let frontier: LevelFrontier
let fetcher: Fetcher
let stop: AbortController
let requests: PageRequests
let forbidden: PageRequests
let concurrency: Semaphore
const linked: FrontierRecord = { state: 'pending', depth: 1, priority: 5, run: 0, attempts: 0 }

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-page-request-'))
  site = await SiteServer.start({ '/robots.txt': 'User-agent: *\nDisallow: /private\n', '/page': page('Page') })
  frontier = await LevelFrontier.open(dir)
  await frontier.beginRun(0)
  fetcher = new Fetcher({ allowPrivate: true })
  stop = new AbortController()
  concurrency = new Semaphore(1)
  const timers = systemTimers()
  const politeness = new Politeness(timers, concurrency, { delayMs: 0 })
  const rules = new OriginRules(new RobotsCache(fetcher, timers.now, 'asof'), politeness, stop.signal)
  const scope = new Scope(parseCorpus({ name: 'c', seeds: [`${site.origin}/`] }), timers.now)
  const buffer = { find: () => undefined } as unknown as CaptureBuffer
  const parts = { frontier, buffer, fetcher, rules, politeness, scope, fieldsKey: undefined, stop: stop.signal }
  requests = new PageRequests({ ...parts, maxFetched: 10 })
  forbidden = new PageRequests({ ...parts, maxFetched: 0 })
})
afterEach(async () => {
  await fetcher.close()
  await frontier.close()
  await site.close()
  await rm(dir, { recursive: true })
})

const at = (path: string) => site.origin + path
const answerOf = (path: string, record = linked): Promise<PageAnswer> =>
  requests.request(at(path), record, async answer => answer)

describe('a request for a page', () => {
  it('returns the page with the URLs that it went through', async () => {
    site.routes.set('/old', redirect('/page'))
    const answer = await answerOf('/old')
    expect(answer).toMatchObject({ kind: 'fetched', page: { status: 200 }, urls: [at('/old'), at('/page')] })
  })
  it('ends at a redirect to a page that this run has fetched, out of scope, or to a forbidden URL', async () => {
    await frontier.finish([{ url: at('/page'), patch: { storedAs: at('/page') } }], 0)
    site.routes.set('/known', redirect('/page'))
    expect(await answerOf('/known')).toEqual({ kind: 'repeated', storedAs: at('/page'), urls: [at('/known')] })
    site.routes.set('/out', redirect('http://elsewhere.example/'))
    expect(await answerOf('/out')).toEqual({ kind: 'outside' })
    site.routes.set('/sneaky', redirect('/private/x'))
    expect(await answerOf('/sneaky')).toEqual({ kind: 'robots' })
    expect(site.asked()).toEqual(['/known', '/out', '/sneaky'])
  })
  it('returns the error of a page that could not be fetched', async () => {
    expect(await answerOf('/missing')).toMatchObject({ kind: 'failed', error: { code: 'ASOF_FETCH_STATUS' } })
  })
  it('is not made when the crawl is stopped or has reached its page limit', async () => {
    expect(await forbidden.request(at('/page'), linked, async answer => answer)).toEqual({ kind: 'stopped' })
    site.routes.set('/old', (request, response) => {
      stop.abort()
      const answer = redirect('/page')
      if (typeof answer === 'function') answer(request, response)
    })
    expect(await answerOf('/old')).toEqual({ kind: 'stopped' })
    expect(await answerOf('/page')).toEqual({ kind: 'stopped' })
    expect(site.asked('/page')).toEqual([])
  })
  it('counts towards the concurrency until the answer has been dealt with', async () => {
    let isFree = false
    await requests.request(at('/page'), linked, async () => {
      void concurrency.acquire().then(release => {
        isFree = true
        release?.()
      })
      await new Promise(resolve => setImmediate(resolve))
      expect(isFree).toBe(false)
    })
    await new Promise(resolve => setImmediate(resolve))
    expect(isFree).toBe(true)
  })
})
