import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
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

it('without Chromium, a corpus that requires rendering is rejected before any request', async () => {
  site.routes.set('/', page('Home'))
  await expect(run('auto', { chromiumPath: join(dir, 'no-browser') })).rejects.toMatchObject({
    code: 'ASOF_RENDERER_MISSING',
  })
  expect(site.requests).toEqual([])
})

describe.skipIf(chromium === undefined)('with Chromium (skipped if it is not installed)', () => {
  it('pages whose scripts create their text are rendered with the data that the scripts fetch, and other pages are not rendered', async () => {
    site.routes.set(
      '/',
      shell(`fetch('/data.txt').then(r => r.text()).then(text => { ${write('text + \' <a href="/plain">on</a>\'')} })`),
    )
    site.routes.set('/data.txt', 'The otter lives by the river and this text came from a request of its own.')
    site.routes.set('/plain', page('Plain'))
    expect(await run('auto')).toMatchObject({ stored: 2, rendered: 1, renderFailed: 0 })
    expect((await engine.page(`${site.origin}/`))?.markdown).toContain('The otter lives by the river')
    expect((await engine.search('otter')).results).toHaveLength(1)
    // The page itself was requested once, by the crawler.
    expect(site.asked('/')).toHaveLength(1)
  })
  it('scripts cannot bypass robots.txt, send other methods than GET, or open sockets', async () => {
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
  it('a page that never becomes idle is stored in its current state', async () => {
    const script = `setInterval(() => fetch('/tick?' + Math.random()), 50); ${write("'Still here, and saying so in a sentence.'")}`
    site.routes.set('/', shell(script))
    expect(await run('always')).toMatchObject({ stored: 1, rendered: 1 })
    expect((await engine.page(`${site.origin}/`))?.markdown).toContain('Still here')
  })
  it('a redirect by a script is not followed, and the page before it is stored', async () => {
    const text = 'What the page says before its script does anything.'
    site.routes.set('/', shell(`location.href = '${site.origin}/elsewhere'`).replace('</div>', `<p>${text}</p></div>`))
    expect(await run('always')).toMatchObject({ stored: 1 })
    expect((await engine.page(`${site.origin}/`))?.markdown).toContain(text)
    expect(site.asked('/elsewhere')).toEqual([])
  })
  it('popups of a page are not fetched and do not crash the process', async () => {
    const script = `window.open('${site.origin}/popup'); const a = document.createElement('a'); a.target = '_blank'
      a.href = '${site.origin}/popup'; document.body.append(a); a.click(); a.remove(); ${write("'The page says this after its popups.'")}`
    site.routes.set('/', shell(script))
    site.routes.set('/popup', shell(`window.open('${site.origin}/popup')`))
    expect(await run('always')).toMatchObject({ stored: 1, rendered: 1 })
    expect((await engine.page(`${site.origin}/`))?.markdown).toContain('after its popups')
    expect(site.asked('/popup')).toEqual([])
  })
  it('a script that never ends is killed at the time limit, and the page is stored without rendering', async () => {
    const text = 'What the page says before its script does anything.'
    site.routes.set('/', shell('for(;;);').replace('</div>', `<p>${text}</p></div><a href="/next">next</a>`))
    site.routes.set('/next', shell(write("'Rendered after its neighbor was killed.'")))
    expect(await run('always', { renderTimeoutMs: 4000 })).toMatchObject({ stored: 2, rendered: 1, renderFailed: 1 })
    expect((await engine.page(`${site.origin}/`))?.markdown).toContain(text)
    expect((await engine.page(`${site.origin}/next`))?.markdown).toContain('Rendered after')
    expect(chromiumProcesses()).toEqual([])
  })
  it('a frame of another site can neither read pages behind the headers of the corpus nor send these headers', async () => {
    const other = await SiteServer.start()
    // A different host name makes it a different site.
    const otherOrigin = other.origin.replace('127.0.0.1', 'localhost')
    const authorized = (request: IncomingMessage) => request.headers.authorization === 'Bearer secret'
    site.routes.set('/private', (request, response) => {
      response
        .writeHead(authorized(request) ? 200 : 401, { 'content-type': 'text/plain' })
        .end('the secret of the site')
    })
    const report = (to: string) =>
      `then(text => fetch('${to}?' + encodeURIComponent(text)), error => fetch('${to}?failed'))`
    other.routes.set(
      '/frame',
      `<script>fetch('${site.origin}/private').then(r => r.text()).${report('/read')}
       const script = document.createElement('script'); script.src = '${site.origin}/private'; document.head.append(script)</script>`,
    )
    for (const path of ['/read?failed', '/read?the%20secret%20of%20the%20site']) other.routes.set(path, 'noted')
    site.routes.set(
      '/',
      `<title>Home</title><iframe src="${otherOrigin}/frame"></iframe><div id="root"></div>
       <script>fetch('/private').then(r => r.text()).then(text => { ${write('text')} })</script>`,
    )
    try {
      const report = await crawl(
        engine,
        {
          name: 'rendered',
          seeds: [`${site.origin}/`],
          rendering: 'always',
          headers: { authorization: 'Bearer secret' },
        },
        { dir: join(dir, 'crawl'), allowPrivate: true, delayMs: 0 },
      )
      expect(report).toMatchObject({ stored: 1, rendered: 1 })
      // The page itself may read what its own site sends to the crawler.
      expect((await engine.page(`${site.origin}/`))?.markdown).toContain('the secret of the site')
      expect(other.requests.map(({ path }) => path)).toEqual(['/frame', '/read?failed'])
      expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined])
      const asked = site.requests.filter(({ path }) => path === '/private').map(({ headers }) => headers.authorization)
      expect(asked.filter(header => header !== undefined)).toHaveLength(1)
    } finally {
      await other.close()
    }
  })
  it('scripts can read another site only if that site permits it', async () => {
    const other = await SiteServer.start()
    const otherOrigin = other.origin.replace('127.0.0.1', 'localhost')
    other.routes.set('/open', (request, response) => {
      const allowed = request.headers.origin === site.origin ? site.origin : 'null'
      response.writeHead(200, { 'content-type': 'text/plain', 'access-control-allow-origin': allowed }).end('open data')
    })
    other.routes.set('/closed', 'closed data')
    const read = (path: string) => `fetch('${otherOrigin}${path}').then(r => r.text(), () => 'refused')`
    site.routes.set(
      '/',
      shell(`Promise.all([${read('/open')}, ${read('/closed')}]).then(all => { ${write("all.join(' and ')")} })`),
    )
    try {
      await run('always')
      expect((await engine.page(`${site.origin}/`))?.markdown).toContain('open data and refused')
    } finally {
      await other.close()
    }
  })
  it.runIf(process.platform === 'linux')('Chromium runs in its sandbox, and never as root', async () => {
    let seen: ChromiumProcess[] = []
    site.routes.set('/data.txt', (_, response) => {
      seen = chromiumProcesses()
      response.end('data')
    })
    site.routes.set('/', shell(`fetch('/data.txt').then(() => { ${write("'Rendered in the sandbox.'")} })`))
    await run('always')
    expect(seen.some(({ args }) => args.includes('--type=renderer'))).toBe(true)
    expect(seen.filter(({ args }) => args.includes('--no-sandbox'))).toEqual([])
    expect(seen.filter(({ uid }) => uid === 0)).toEqual([])
    expect(chromiumProcesses()).toEqual([])
  })
})

interface ChromiumProcess {
  uid: number
  args: string
}

/**
 * True if another process of Node started a browser, such as that of a test of the console, which runs at the same time. A browser
 * that was left behind has no parent but the first process.
 */
function isOfOthers(pid: number): boolean {
  let isOfNode = false
  for (let at = pid; at > 1; ) {
    if (at === process.pid) return false
    if (/^\S*\bnode\b/.test(readFileSync(`/proc/${at}/cmdline`, 'utf8').split('\0', 1)[0] ?? '')) isOfNode = true
    // The name of the process, in parentheses, may have spaces.
    at = Number(
      readFileSync(`/proc/${at}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1],
    )
  }
  return isOfNode
}

/** Returns the processes of browsers that this process started, from /proc. */
function chromiumProcesses(): ChromiumProcess[] {
  return readdirSync('/proc').flatMap(pid => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      if (!/^\S*chromium\S* .*--/.test(args) || (!args.includes('--host-resolver-rules') && !args.includes('--type=')))
        return []
      return isOfOthers(Number(pid)) ? [] : [{ uid: statSync(`/proc/${pid}`).uid, args }]
    } catch {
      // The entry is not a process, or the process has exited.
      return []
    }
  })
}
