import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { importFiles } from '../../../crawler/index.ts'
import { buildProgram } from '../../../transports/cli/program.ts'
import { remoteTarget } from '../../../transports/cli/remote-target.ts'
import { createClient } from '../../../transports/client/index.ts'
import { noLimits, type RunningServer, startServer } from '../http/running-server.ts'
import { useCommandOutput } from './command-output.ts'

const adminToken = 'a-token-of-some-length'

/** The pages of an index, without the instants of their commits. */
async function pagesOf(engine: Pick<Engine, 'exportAll'>): Promise<object[]> {
  const pages: object[] = []
  for await (const observation of engine.exportAll()) {
    const { acquiredAt: _, ...page } = observation as { acquiredAt?: unknown; url: string }
    pages.push(page)
  }
  return pages
}

describe('an import into the index of a server', () => {
  let server: RunningServer
  let dir: string
  const output = useCommandOutput()
  beforeEach(async () => {
    server = await startServer({ accounts: true, captures: [], http: { adminToken, keylessLimits: noLimits } })
    dir = await mkdtemp(path.join(tmpdir(), 'asof-remote-'))
    const head = '<head><title>Ein Reiher</title><meta charset="iso-8859-1"><meta name="author" content="Ada">'
    const date = '<meta property="article:published_time" content="2024-05-01T10:00:00Z"></head>'
    const page = `<html lang="de">${head}${date}<body><main><p>Der Reiher steht am Flu\u00df und wartet auf Fische.</p></main></body></html>`
    await writeFile(path.join(dir, 'reiher.html'), Buffer.from(page, 'latin1'))
    await writeFile(path.join(dir, 'egret.md'), '---\ntitle: Egret\ndate: 2024-06-01\n---\n\nWhite and **tall**.\n')
    await writeFile(path.join(dir, 'note.txt'), 'a bittern hides\n')
    vi.stubEnv('ASOF_ADMIN_TOKEN', adminToken)
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await server.close()
    await rm(dir, { recursive: true, force: true })
  })
  const run = (...args: string[]) => buildProgram().parseAsync(['node', 'asof', ...args])

  it('leaves the pages, dates and metadata of an import into a folder', async () => {
    const local = await open(`${dir}-local`)
    try {
      const client = createClient({ url: server.url, adminToken })
      const options = { baseUrl: 'https://birds.example/' }
      const report = await importFiles(remoteTarget(client), dir, options)
      expect(report).toMatchObject({ read: 3, added: 3, failed: 0 })
      expect(await importFiles(local, dir, options)).toMatchObject({ read: 3, added: 3, failed: 0 })
      const pages = await pagesOf(local)
      expect(pages).toHaveLength(3)
      expect(JSON.stringify(pages)).toContain('Flu\u00df')
      expect(await pagesOf(server.engine)).toEqual(pages)
    } finally {
      await local.close()
      await rm(`${dir}-local`, { recursive: true, force: true })
    }
  })

  it('is what asof import --url does, and the second time it changes nothing', async () => {
    const records = path.join(dir, 'pages.jsonl')
    await writeFile(records, '{"url":"https://a.example/","text":"a heron","acquired_at":"2025-01-01"}\nbroken\n')
    const args = ['import', records, '--url', server.url, '--json']
    await run(...args)
    expect(JSON.parse(output.stdout)).toEqual({ read: 2, added: 1, unchanged: 0, failed: 1 })
    expect(output.stderr).toContain('line 2')
    output.stdout = ''
    await run(...args)
    expect(JSON.parse(output.stdout)).toEqual({ read: 2, added: 0, unchanged: 1, failed: 1 })
    expect(await server.engine.page('https://a.example/')).toMatchObject({ acquiredAt: Date.UTC(2025, 0, 1) })
  })

  it('needs the admin token, and either a server or a folder', async () => {
    await expect(run('import', dir, '--url', server.url, '--data', dir)).rejects.toThrow('use one of them')
    vi.stubEnv('ASOF_ADMIN_TOKEN', '')
    await expect(run('import', dir, '--url', server.url)).rejects.toThrow('set ASOF_ADMIN_TOKEN')
    vi.stubEnv('ASOF_ADMIN_TOKEN', 'a-wrong-token-of-length')
    await expect(run('import', dir, '--url', server.url)).rejects.toMatchObject({ status: 401 })
  })

  it('sends many pages in several requests, and reports what each server said of its pages', async () => {
    const sizes: number[] = []
    const target = remoteTarget({
      addPages: async lines => {
        const given = [...lines]
        sizes.push(given.length)
        const failures = [{ line: 1, url: 'https://a.example/0', code: 'ASOF_INVALID_CAPTURE', message: 'no' }]
        return {
          read: given.length,
          added: given.length - 1,
          revised: 0,
          unchanged: 0,
          removed: 0,
          failed: 1,
          failures,
          warnings: [],
          unknown_fields: [],
        }
      },
    })
    const text = 'x'.repeat(6 * 1024 * 1024)
    const report = await target.add([0, 1, 2, 3].map(n => ({ url: `https://a.example/${n}`, text })))
    expect(sizes).toEqual([2, 2])
    expect(report.added).toBe(2)
    expect(report.failures).toHaveLength(2)
  })
})
