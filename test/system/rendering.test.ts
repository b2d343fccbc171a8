import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../core/index.ts'
import { crawl } from '../../crawler/index.ts'
import { page, SiteServer } from '../crawler/site-server.ts'

const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

let dir: string
let engine: Engine
let site: SiteServer
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-rendering-'))
  engine = await open(join(dir, 'data'))
  site = await SiteServer.start()
})
afterEach(async () => {
  await engine.close()
  await site.close()
  await rm(dir, { recursive: true })
})

const run = (rendering: 'off' | 'auto' | 'always', options: object = {}) =>
  crawl(
    engine,
    { name: 'rendered', seeds: [`${site.origin}/`], rendering },
    { dir: join(dir, 'crawl'), allowPrivate: true, delayMs: 0, retryDelayMs: 1, ...options },
  )
const shell = (script: string) =>
  `<!doctype html><html><head><title>Shell</title></head><body><div id="root"></div><script>${script}</script></body></html>`
const write = (text: string) =>
  `document.getElementById('root').innerHTML = '<main><h1>Made</h1><p>' + ${text} + '</p></main>'`

it('without a Chromium a corpus that asks for rendering is refused, not crawled half', async () => {
  site.routes.set('/', page('Home'))
  await expect(run('auto', { chromiumPath: join(dir, 'no-browser') })).rejects.toMatchObject({
    code: 'ASOF_RENDERER_MISSING',
  })
  expect(site.requests).toEqual([])
})

describe.skipIf(chromium === undefined)('with a Chromium (skipped where none is installed)', () => {
  it('pages whose scripts make their text are rendered, with what these fetch; others are not', async () => {
    site.routes.set(
      '/',
      shell(`fetch('/data.txt').then(r => r.text()).then(text => { ${write('text + \' <a href="/plain">on</a>\'')} })`),
    )
    site.routes.set('/data.txt', 'The otter lives by the river and this text came from a request of its own.')
    site.routes.set('/plain', page('Plain'))
    expect(await run('auto')).toMatchObject({ stored: 2, rendered: 1, renderFailed: 0 })
    expect((await engine.page(`${site.origin}/`))?.markdown).toContain('The otter lives by the river')
    expect((await engine.search('otter')).results).toHaveLength(1)
    // The page itself was asked for once, by the crawler.
    expect(site.asked('/')).toHaveLength(1)
  })
  it('no script gets past robots.txt, or anywhere by other methods, sockets or addresses of its own', async () => {
    let reached = 0
    const guarded = createServer(socket => {
      reached++
      socket.destroy()
    })
    await new Promise<void>(resolve => guarded.listen(0, '127.0.0.1', resolve))
    const { port } = guarded.address() as { port: number }
    site.routes.set('/robots.txt', 'User-agent: *\nDisallow: /secret\n')
    site.routes.set('/secret', 'secret')
    site.routes.set(
      '/',
      shell(`
        const tries = [
          fetch('/secret'), fetch('/', { method: 'POST', body: 'x' }),
          new Promise((ok, no) => { const s = new WebSocket('ws://127.0.0.1:${port}/'); s.onopen = ok; s.onclose = s.onerror = no }),
        ]
        Promise.allSettled(tries).then(all => { ${write("all.map(each => each.status).join(' ') + ' is what came of the tries that this page made'")} })
      `),
    )
    try {
      expect(await run('always')).toMatchObject({ stored: 1, rendered: 1 })
      expect((await engine.page(`${site.origin}/`))?.markdown).toContain('rejected rejected rejected')
      expect(site.asked('/secret')).toEqual([])
      expect(reached).toBe(0)
    } finally {
      await new Promise(resolve => guarded.close(resolve))
    }
  })
  it('a page that never comes to rest is taken as it stands', async () => {
    const script = `setInterval(() => fetch('/tick?' + Math.random()), 50); ${write("'Still here, and saying so in a sentence.'")}`
    site.routes.set('/', shell(script))
    expect(await run('always')).toMatchObject({ stored: 1, rendered: 1 })
    expect((await engine.page(`${site.origin}/`))?.markdown).toContain('Still here')
  })
  it('a page that leads its reader elsewhere by script is not followed, and stays what it was', async () => {
    const text = 'What the page says before its script does anything.'
    site.routes.set('/', shell(`location.href = '${site.origin}/elsewhere'`).replace('</div>', `<p>${text}</p></div>`))
    expect(await run('always')).toMatchObject({ stored: 1 })
    expect((await engine.page(`${site.origin}/`))?.markdown).toContain(text)
    expect(site.asked('/elsewhere')).toEqual([])
  })
})
