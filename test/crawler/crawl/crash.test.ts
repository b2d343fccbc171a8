import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { open } from '../../../core/index.ts'
import { LevelFrontier } from '../../../crawler/frontier/level-frontier.ts'
import { page, SiteServer } from '../site-server.ts'

const pages = 240
const kills = 2
let dir: string
let site: SiteServer
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-crash-'))
  site = await SiteServer.start()
})
afterEach(async () => {
  await site.close()
  await rm(dir, { recursive: true })
})

const startCrawl = (): ChildProcess =>
  spawn(process.execPath, [fileURLToPath(new URL('crawl-process.ts', import.meta.url)), dir, `${site.origin}/0`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** Returns the paths that the frontier calls done, and those that the index holds. */
const keptAfterCrash = async () => {
  const [name] = await readdir(join(dir, 'crawl')).catch(() => [])
  if (name === undefined) return { done: [], stored: new Set<string>() }
  const frontier = await LevelFrontier.open(join(dir, 'crawl', name))
  const engine = await open(join(dir, 'index'))
  const done: string[] = []
  const stored = new Set<string>()
  for (let i = 0; i < pages; i++) {
    const url = `${site.origin}/${i}`
    if ((await frontier.get(url))?.state === 'done') done.push(`/${i}`)
    if (await engine.page(url)) stored.add(`/${i}`)
  }
  await frontier.close()
  await engine.close()
  return { done, stored }
}

it('stores every page and fetches none again that was done, although the crawl is killed at random moments', async () => {
  const random = Array.from({ length: kills }, () => 5 + Math.floor(Math.random() * 50))
  console.log(`killed once after pages are finished, then after these numbers of requests: ${random.join(', ')}`)
  let onRequest = () => {}
  let isHeld = false
  for (let i = 0; i < pages; i++) {
    site.routes.set(`/${i}`, (_, response) => {
      onRequest()
      const links = [2 * i + 1, 2 * i + 2].filter(next => next < pages).map(next => `/${next}`)
      if (!isHeld) response.writeHead(200, { 'content-type': 'text/html' }).end(page(`Number ${i}`, links))
    })
  }
  const finishedBefore: { requests: number; done: string[] }[] = []
  for (const after of ['finished', ...random]) {
    const child = startCrawl()
    const exited = once(child, 'exit')
    let count = 0
    onRequest = () => {
      if (++count === after) child.kill('SIGKILL')
      // From here on the site does not answer, so that the crawl waits until its first pages are finished.
      if (after === 'finished' && count === 130) isHeld = true
    }
    if (after === 'finished') child.stdout?.once('data', () => child.kill('SIGKILL'))
    const [, signal] = await exited
    expect(signal).toBe('SIGKILL')
    isHeld = false
    const { done, stored } = await keptAfterCrash()
    expect(done.filter(path => !stored.has(path))).toEqual([])
    finishedBefore.push({ requests: site.requests.length, done })
  }
  onRequest = () => {}
  const last = startCrawl()
  let out = ''
  last.stdout?.on('data', chunk => {
    out += chunk
  })
  const [code] = await once(last, 'close')
  expect(code).toBe(0)
  expect(JSON.parse(out.slice(out.indexOf('{')))).toMatchObject({ finished: true, pending: 0, failed: {} })

  const { done, stored } = await keptAfterCrash()
  expect([done.length, stored.size]).toEqual([pages, pages])
  expect(finishedBefore[0]?.done.length).toBeGreaterThanOrEqual(100)
  for (const { requests, done } of finishedBefore) {
    const later = new Set(site.requests.slice(requests).map(request => request.path))
    expect(done.filter(path => later.has(path))).toEqual([])
  }
})
