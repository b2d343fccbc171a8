import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addConsoleRoutes, readConsoleFiles } from '../../../transports/console/index.ts'
import { get, startServer } from '../http/running-server.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'asof-console-'))
  mkdirSync(join(folder, 'built/assets'), { recursive: true })
  mkdirSync(join(folder, 'docs'))
  writeFileSync(join(folder, 'built/index.html'), '<!doctype html><script src="/assets/index-1a2b.js"></script>')
  writeFileSync(join(folder, 'built/assets/index-1a2b.js'), 'export {}')
  writeFileSync(join(folder, 'docs/wizards.md'), '# Wizards\n')
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
        ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'cache-control': 'no-cache' },
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

  it.each(['/assets/none.js', '/assets/%2e%2e%2findex.html', '/docs/none.md', '/docs/..%2f..%2fetc/passwd.md'])(
    'have nothing at %s',
    async url => {
      expect((await served()(url)).statusCode).toBeGreaterThanOrEqual(400)
    },
  )

  it('say how to build the console if it is not built', async () => {
    const { statusCode, body } = await served(join(folder, 'none'))('/')
    expect([statusCode, body]).toEqual([503, expect.stringContaining('npm run build:console')])
  })
})

describe('a server', () => {
  it('has the console only if it is turned on', async () => {
    const plain = await startServer()
    const server = await startServer({ http: { console: true } })
    try {
      expect((await get(`${plain.url}/`)).status).toBe(404)
      expect((await fetch(`${server.url}/docs/index.json`)).status).toBe(200)
      expect((await fetch(`${server.url}/docs/index.json`, { method: 'POST' })).status).toBe(405)
    } finally {
      await Promise.all([plain.close(), server.close()])
    }
  })
})
