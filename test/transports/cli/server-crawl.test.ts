import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { corpusOfSeeds } from '../../../crawler/index.ts'
import { buildProgram } from '../../../transports/cli/program.ts'
import { crawlOnServer } from '../../../transports/cli/server-crawl.ts'
import { createClient } from '../../../transports/client/index.ts'
import { page, type Route, SiteServer } from '../../crawler/site-server.ts'
import { type CrawlingServer, startCrawlingServer } from '../http/crawling-server.ts'
import { useCommandOutput } from './command-output.ts'

const adminToken = 'a-token-of-some-length'

describe('a crawl on a server', () => {
  const output = useCommandOutput()
  let dir: string
  let site: SiteServer
  let server: CrawlingServer
  let url: string

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'asof-server-crawl-'))
    site = await SiteServer.start({ '/': page('Home', ['/tea', '/gone']), '/tea': page('Tea') })
    server = await startCrawlingServer(dir, adminToken)
    url = server.url
    vi.stubEnv('ASOF_ADMIN_TOKEN', adminToken)
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await server.close()
    await site.close()
    await rm(dir, { recursive: true })
  })
  const run = (...args: string[]) => buildProgram().parseAsync(['node', 'asof', 'crawl', ...args, '--url', url])

  it('is started and followed by asof crawl --url, and stores the pages there', async () => {
    await run(`${site.origin}/`, '--delay-ms', '0', '--json')
    const crawl = JSON.parse(output.stdout) as { state: string; report: { stored: number; failed: object } }
    expect(crawl).toMatchObject({ state: 'finished', report: { stored: 2, failed: { ASOF_FETCH_STATUS: 1 } } })
    expect(await server.folder.engine.page(`${site.origin}/tea`)).toMatchObject({ title: 'Tea' })
    expect(process.exitCode).toBeUndefined()
  })

  it('takes corpus files, and what flags define', async () => {
    const file = join(dir, 'tea.corpus.json')
    await writeFile(file, JSON.stringify({ name: 'tea', seeds: [`${site.origin}/`], delayMs: 0 }))
    await run(file, '--exclude', '/tea')
    expect(output.stdout).toMatch(/^tea: finished; \d fetched, 1 stored/)
    expect(await server.folder.engine.page(`${site.origin}/tea`)).toBeUndefined()
  })

  it('fails if nothing could be stored', async () => {
    await run(`${site.origin}/gone`, '--delay-ms', '0')
    expect(process.exitCode).toBe(1)
  })

  it('is stopped with the command', async () => {
    const gate = Promise.withResolvers<void>()
    const slow: Route = (_request, response) => {
      void gate.promise.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page('Slow', ['/tea'])))
    }
    site.routes.set('/', slow)
    const controller = new AbortController()
    const client = createClient({ url, adminToken })
    const crawl = await crawlOnServer(
      client,
      corpusOfSeeds([`${site.origin}/`]),
      { delayMs: 0 },
      {
        signal: controller.signal,
        lookMs: 20,
        onProgress: ({ state }) => {
          if (state === 'running') controller.abort()
          else gate.resolve()
        },
      },
    )
    expect(crawl.state).toBe('stopped')
  })

  it('has the folder and the addresses that the server allows, so settings of the folder are refused', async () => {
    await expect(run(`${site.origin}/`, '--allow-private')).rejects.toThrow(
      '--allow-private is a setting of the server',
    )
    await expect(run(`${site.origin}/`, '--retain', '90d')).rejects.toThrow('--retain')
  })
})
