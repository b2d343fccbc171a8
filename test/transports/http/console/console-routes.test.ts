import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConsoleFiles } from '../../../../transports/http/console/console-files.ts'
import { addConsoleRoutes } from '../../../../transports/http/console/console-routes.ts'
import { get, startServer } from '../running-server.ts'

const script = 'export const word = "word"\n'.repeat(1_000)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'asof-console-'))
  mkdirSync(join(folder, 'built/assets'), { recursive: true })
  mkdirSync(join(folder, 'docs'))
  writeFileSync(join(folder, 'built/index.html'), '<!doctype html><script src="/assets/index-1a2b.js"></script>')
  writeFileSync(join(folder, 'built/assets/index-1a2b.js'), 'export {}')
  writeFileSync(join(folder, 'built/assets/long-3c4d.js'), script)
  writeFileSync(join(folder, 'docs/wizards.md'), '# Wizards\n')
  writeFileSync(join(folder, 'docs/console.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47]))
  writeFileSync(join(folder, 'docs/time-travel.md'), '# Time `travel`\n\nText.\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

function served(built = join(folder, 'built')) {
  const app = fastify()
  addConsoleRoutes(app, readConsoleFiles(built, folder))
  return (url: string, headers = {}) => app.inject({ url, headers })
}

describe('the routes of the console', () => {
  it('answer every address of a view with the page, under a policy that allows scripts of this server alone', async () => {
    const ask = served()
    for (const url of ['/', '/?q=a', '/page?url=https://a.example/', '/docs', '/docs/time-travel']) {
      const { statusCode, body, headers } = await ask(url)
      expect([url, statusCode, body]).toEqual([url, 200, expect.stringContaining('/assets/index-1a2b.js')])
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
      expect(policy).not.toMatch(/unsafe|https?:|data:|\*/)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
        'x-dns-prefetch-control': 'off',
      })
    }
  })

  it('let browsers keep assets for good, and send the page again only if it changed', async () => {
    const ask = served()
    const asset = await ask('/assets/index-1a2b.js')
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const { headers } = await ask('/')
    const again = await ask('/', { 'if-none-match': `W/${headers.etag}` })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    expect((await ask('/', { 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  it('send what was compressed when it was read, to whoever accepts it', async () => {
    const files = readConsoleFiles(join(folder, 'built'), folder)
    expect(files.assets.get('index-1a2b.js')!.compressed).toBeUndefined()
    const app = fastify()
    addConsoleRoutes(app, files)
    const ask = (accepted: string) =>
      app.inject({ url: '/assets/long-3c4d.js', headers: { 'accept-encoding': accepted } })
    for (const accepted of ['gzip, deflate, br', '*']) {
      const { rawPayload, headers } = await ask(accepted)
      expect(rawPayload.equals(files.assets.get('long-3c4d.js')!.compressed!)).toBe(true)
      expect(gunzipSync(rawPayload).toString()).toBe(script)
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    }
    const plain = fastify()
    addConsoleRoutes(plain, files, false)
    const sent = await plain.inject({ url: '/assets/long-3c4d.js', headers: { 'accept-encoding': 'gzip' } })
    expect([sent.body, sent.headers['content-encoding']]).toEqual([script, undefined])
    for (const accepted of ['identity', 'gzip;q=0']) {
      const { body, headers } = await ask(accepted)
      expect([body, headers['content-encoding'], headers.vary]).toEqual([script, undefined, 'accept-encoding'])
    }
  })

  it('list the documents, and serve each as Markdown', async () => {
    const ask = served()
    expect((await ask('/docs/index.json')).json()).toEqual({
      documents: [
        { name: 'time-travel', title: 'Time travel' },
        { name: 'wizards', title: 'Wizards' },
      ],
    })
    const { body, headers } = await ask('/docs/time-travel.md')
    expect([body, headers['content-type']]).toEqual(['# Time `travel`\n\nText.\n', 'text/markdown; charset=utf-8'])
  })

  it('list the documents for language models, each with its first sentence', async () => {
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      '# Changelog\n\nThe [changes](a.md)\nof each `release`. More.\n\n## One\n',
    )
    const { body, headers } = await served()('/llms.txt')
    rmSync(join(folder, 'CHANGELOG.md'))
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(body).toMatch(/^# asof\n\n> .+\n\n## API\n\n- \[OpenAPI\]\(\/openapi\.json\): .+\n/)
    expect(body.slice(body.indexOf('## Documents'))).toBe(
      '## Documents\n\n- [Time travel](/docs/time-travel.md): Text.\n- [Wizards](/docs/wizards.md)\n' +
        '- [Changelog](/docs/changelog.md): The changes of each release.\n',
    )
  })

  it('name the base URLs of the dialects that the server has', async () => {
    const listed = [{ path: '/exa', vendor: 'Exa', clients: 'exa-js and exa-py' }]
    const textOf = (dialects: typeof listed) =>
      readConsoleFiles(join(folder, 'built'), folder, dialects).llmsTxt.body.toString()
    expect(textOf(listed)).toContain(
      '## Clients of other search services\n\n- `/exa`: the base URL for clients of Exa, such as exa-js and exa-py.\n\n## Documents',
    )
    expect(textOf([])).not.toContain('other search services')
  })

  it('list only documents of this project that are served, and say what each is for', async () => {
    const app = fastify()
    addConsoleRoutes(app, readConsoleFiles(join(folder, 'built')))
    const { body } = await app.inject('/llms.txt')
    const links = [...body.matchAll(/^- \[.+\]\((\/docs\/.+\.md)\): \S.+\.$/gm)].map(([, path = '']) => path)
    expect(links).toHaveLength((await app.inject('/docs/index.json')).json<{ documents: [] }>().documents.length)
    for (const path of links) expect([path, (await app.inject(path)).statusCode]).toEqual([path, 200])
  })

  it.each(['/assets/none.js', '/assets/%2e%2e%2findex.html', '/docs/none.md', '/docs/..%2f..%2fetc/passwd.md'])(
    'have nothing at %s',
    async url => {
      expect((await served()(url)).statusCode).toBeGreaterThanOrEqual(400)
    },
  )

  it('answer an address of a document that is not there with the page and status 404, whatever the browser knows', async () => {
    const ask = served()
    const { headers } = await ask('/docs')
    const missing = await ask('/docs/none', { 'if-none-match': String(headers.etag) })
    expect([missing.statusCode, missing.body]).toEqual([404, expect.stringContaining('/assets/index-1a2b.js')])
    expect((await ask('/docs/')).statusCode).toBe(200)
  })

  it('send the pictures of the documents', async () => {
    const ask = served()
    const { statusCode, rawPayload, headers } = await ask('/docs/console.png')
    expect([statusCode, rawPayload.length, headers['content-type']]).toEqual([200, 4, 'image/png'])
    expect(headers['content-security-policy']).toContain("img-src 'self'")
    for (const url of ['/docs/none.png', '/docs/..%2fconsole.png']) expect((await ask(url)).statusCode).toBe(404)
  })

  it('say how to build the console if it is not built', async () => {
    const { statusCode, body, headers } = await served(join(folder, 'none'))('/')
    expect([statusCode, body]).toEqual([503, expect.stringContaining('npm run build:console')])
    expect(headers['cache-control']).toBe('no-store')
  })
})

describe('a server', () => {
  it('has the console only if it is turned on', async () => {
    const plain = await startServer()
    const server = await startServer({ http: { console: true } })
    try {
      expect((await get(`${plain.url}/`)).status).toBe(404)
      expect((await fetch(`${server.url}/docs/index.json`)).status).toBe(200)
      expect([(await get(`${plain.url}/llms.txt`)).status, (await fetch(`${server.url}/llms.txt`)).status]).toEqual([
        404, 200,
      ])
      expect((await fetch(`${server.url}/docs/index.json`, { method: 'POST' })).status).toBe(405)
    } finally {
      await Promise.all([plain.close(), server.close()])
    }
  })

  it('shows a page with status 404 to a person at an unknown path, and the error of the contract to a program', async () => {
    const plain = await startServer()
    const server = await startServer({ http: { console: true } })
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const at = async (path: string, headers: Record<string, string>, init: RequestInit = {}, url = server.url) => {
      const response = await fetch(url + path, { ...init, headers })
      return [response.status, response.headers.get('content-type')?.split(';')[0]]
    }
    try {
      const [page, json] = ['text/html', 'application/json']
      for (const path of ['/nowhere', '/page/', '/crawls/x', '/a/b?q=1', '/%E2%80%AE', '/docs/none', '/v1x'])
        expect([path, await at(path, { accept })]).toEqual([path, [404, page]])
      expect(await at('/nowhere', { accept }, { method: 'HEAD' })).toEqual([404, page])
      for (const path of ['/v1/nowhere', '/v1', '/admin/nowhere', '/assets/none.js', '/.well-known/none'])
        expect([path, await at(path, { accept })]).toEqual([path, [404, json]])
      for (const other of ['*/*', 'application/json', 'application/json, text/html;q=0.5', ''])
        expect([other, await at('/nowhere', { accept: other })]).toEqual([other, [404, json]])
      expect(await at('/nowhere', { accept }, { method: 'POST' })).toEqual([404, json])
      expect(await at('/nowhere', { accept }, {}, plain.url)).toEqual([404, json])
    } finally {
      await Promise.all([plain.close(), server.close()])
    }
  })
})
