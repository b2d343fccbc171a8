import { execFile, spawnSync } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { leanAllocator } from '../../transports/cli/lean-memory.ts'
import { startTarget } from '../transports/http/running-server.ts'
import { endCommands, main, RunningCommand, run, serve, temporaryFolder } from './running-command.ts'

const hasTerminals = spawnSync('python3', ['-c', 'import pty']).status === 0
if (!hasTerminals) console.log('skipped: a terminal that is closed (needs python3 with the module pty)')

describe('asof serve', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let data: string
  beforeEach(async () => {
    folder = await temporaryFolder()
    data = path.join(folder.dir, 'data')
  })
  afterEach(async () => {
    await endCommands()
    await folder.remove()
  })

  async function importText(url: string, text: string): Promise<unknown> {
    const file = path.join(folder.dir, 'one.jsonl')
    await writeFile(file, JSON.stringify({ url, text }))
    const { code, stdout, stderr } = await run(['import', file, '--data', data, '--json'])
    expect([code, stderr]).toEqual([0, expect.stringContaining('importing')])
    return JSON.parse(stdout)
  }

  it.each(['SIGTERM', 'SIGHUP'] as const)('prints one line, answers, and stops cleanly on %s', async signal => {
    const { command, url } = await serve(data)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    command.signal(signal)
    const { code, stdout } = await command.finished
    expect(code).toBe(0)
    expect(stdout).toBe(`listening on ${url}\n`)
    await expect(stat(path.join(data, 'asof.sock'))).rejects.toThrow('ENOENT')
  })

  it('stops cleanly when the reader of its log has gone', async () => {
    const { command, url } = await serve(data)
    command.child.stderr!.destroy()
    for (let i = 0; i < 3; i++) expect((await fetch(`${url}/healthz`)).status).toBe(200)
    command.signal('SIGTERM')
    expect((await command.finished).code).toBe(0)
  })

  it.skipIf(!hasTerminals)('stops cleanly when its terminal is closed', async () => {
    const args = ['listening on', process.execPath, main, 'serve', '--port', '0', '--data', data]
    await promisify(execFile)('python3', [path.join(import.meta.dirname, 'closed-terminal.py'), ...args])
    await expect(stat(path.join(data, 'asof.sock'))).rejects.toThrow('ENOENT')
  })

  it.skipIf(process.platform !== 'linux')(
    'runs under its first process id with its settings of the allocator, unless the environment has one',
    async () => {
      const settingsOf = async ({ child }: RunningCommand) =>
        (await readFile(`/proc/${child.pid}/environ`, 'utf8'))
          .split('\0')
          .filter(entry => entry.startsWith('MALLOC_'))
          .sort()
      const { command } = await serve(data)
      expect(await settingsOf(command)).toEqual(
        Object.entries(leanAllocator)
          .map(entry => entry.join('='))
          .sort(),
      )
      command.signal('SIGTERM')
      await command.finished
      expect(command.stderr).not.toContain('Warning')
      const own = await serve(data, [], { MALLOC_ARENA_MAX: '2' })
      expect(await settingsOf(own.command)).toEqual(['MALLOC_ARENA_MAX=2'])
    },
  )

  it('deletes superseded captures with --retain, and can be backed up with its settings while it runs', async () => {
    const file = path.join(folder.dir, 'pages.jsonl')
    const page = (text: string, acquired_at: string) => JSON.stringify({ url: 'https://a.example/', text, acquired_at })
    await writeFile(file, [page('old ships', '2020-01-01'), page('new ships', '2021-01-01')].join('\n'))
    await run(['import', file, '--data', data])
    await writeFile(path.join(data, 'asof.json'), '{"keyless_per_second":9}')
    const { url } = await serve(data, ['--retain', '1y'])
    const target = path.join(folder.dir, 'backup')
    const deadlineAt = performance.now() + 60_000
    for (let captures = 2; captures !== 1; ) {
      expect(performance.now()).toBeLessThan(deadlineAt)
      captures = (JSON.parse((await run(['stats', '--data', data, '--json'])).stdout) as { captures: number }).captures
    }
    const { code, stdout } = await run(['backup', target, '--data', data, '--json'])
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ dir: target, captures: 1, urls: 1 })])
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(await readFile(path.join(target, 'asof.json'), 'utf8')).toBe('{"keyless_per_second":9}')
    const past = await run(['search', 'ships', '--query-time', '2020-06-01', '--data', target, '--json'])
    expect(JSON.parse(past.stdout)).toMatchObject({ results: [] })
    const bad = await run(['serve', '--retain', 'long', '--data', target])
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('--retain')])
  })

  it('stops cleanly on Ctrl-C too', async () => {
    const { command } = await serve(data)
    command.signal('SIGINT')
    expect((await command.finished).code).toBe(0)
  })

  it('serves the other commands through its socket, which only its owner may use', async () => {
    const { url } = await serve(data)
    expect((await stat(path.join(data, 'asof.sock'))).mode & 0o777).toBe(0o600)

    expect(await importText('https://a.example/', 'ships at sea')).toMatchObject({ added: 1 })
    const searched = await run(['search', 'ships', '--data', data, '--json'])
    const { 'Content-Type': _, ...headers } = { 'X-Service-Title': 'tests', 'Content-Type': '' }
    const overHttp = await fetch(`${url}/v1/search/public?query=ships`, { headers })
    const { receipt, ...response } = JSON.parse(searched.stdout)
    expect(response).toEqual(await overHttp.json())
    expect(receipt).toMatchObject({ captures: 1, profile: 'pro' })

    const fetched = await run(['fetch', 'https://a.example/', '--data', data, '--json'])
    expect(JSON.parse(fetched.stdout)).toMatchObject({ content: 'ships at sea' })
    expect(JSON.parse((await run(['stats', '--data', data, '--json'])).stdout)).toMatchObject({ captures: 1 })
    expect((await run(['search', 'a', '--query-time', 'soon', '--data', data])).code).toBe(2)
    expect((await run(['fetch', 'https://b.example/', '--data', data])).code).toBe(1)
    expect((await run(['remove', 'https://a.example/', '--data', data])).code).toBe(0)
    expect((await run(['purge', 'https://a.example/', '--data', data])).stdout).toContain('1')
  })

  it('crawls for a command with the settings of the server', async () => {
    const site = await startTarget((request, response) => {
      if (request.url === '/robots.txt') response.writeHead(404).end()
      else response.setHeader('Content-Type', 'text/html').end('<title>Site</title><p>Words of the site</p>')
    })
    try {
      const { command } = await serve(data)
      const refused = await run(['crawl', site.url, '--delay-ms', '0', '--allow-private', '--data', data, '--json'])
      expect(JSON.parse(refused.stdout)).toMatchObject({ stored: 0 })
      command.signal('SIGTERM')
      await command.finished
      await serve(data, ['--allow-private'])
      const crawled = await run(['crawl', `${site.url}/start`, '--delay-ms', '0', '--data', data, '--json'])
      expect(JSON.parse(crawled.stdout)).toMatchObject({ stored: 1, finished: true })
      expect(crawled.code).toBe(0)
    } finally {
      await site.close()
    }
  })

  it('logs requests as JSON lines on standard error without queries and keys, and answers commands with --url and --key', async () => {
    const { command, url } = await serve(data)
    await importText('https://a.example/', 'ships at sea')
    const act = async (...args: string[]) => JSON.parse((await run([...args, '--data', data, '--json'])).stdout)
    const org = (await act('org', 'create', 'Acme')) as { id: string }
    const workspace = (await act('workspace', 'create', 'Main', '--org', org.id)) as { id: string }
    const { key } = (await act('key', 'create', '--workspace', workspace.id)) as { key: string }

    const keyed = await run(['search', 'ships', '--json'], { ASOF_URL: url, ASOF_KEY: key })
    expect(JSON.parse(keyed.stdout)).toMatchObject({ query: 'ships', results: [{ url: 'https://a.example/' }] })
    const keyless = await run(['fetch', 'https://a.example/', '--url', url, '--json'])
    expect(JSON.parse(keyless.stdout)).toMatchObject({ content: 'ships at sea' })
    const missing = await run(['fetch', 'https://none.example/', '--url', url, '--json'])
    expect([missing.code, JSON.parse(missing.stdout)]).toEqual([1, expect.objectContaining({ error: 'not_indexed' })])
    const bad = await run(['search', 'ships', '--query-time', 'soon', '--url', url, '--json'])
    expect([bad.code, JSON.parse(bad.stdout)]).toEqual([2, expect.objectContaining({ error: 'invalid_request' })])
    expect(await act('usage', '--org', org.id)).toMatchObject({ credits_charged: 1 })

    command.signal('SIGTERM')
    const { stdout, stderr } = await command.finished
    expect(stdout).toBe(`listening on ${url}\n`)
    const lines = stderr.split('\n').filter(line => line.startsWith('{'))
    expect(lines.map(line => JSON.parse(line))).toEqual([
      expect.objectContaining({ route: '/v1/search', status: 200, organization: org.id }),
      expect.objectContaining({ route: '/v1/fetch/public', status: 200 }),
      expect.objectContaining({ route: '/v1/fetch/public', status: 404, error: 'not_indexed' }),
      expect.objectContaining({ route: '/v1/search/public', status: 400 }),
    ])
    for (const secret of [key, 'ships', 'a.example']) expect(stderr).not.toContain(secret)
  })

  it('replaces the socket of a server that was killed', async () => {
    const first = await serve(data)
    await importText('https://a.example/', 'ships at sea')
    first.command.signal('SIGKILL')
    await first.command.finished
    expect((await stat(path.join(data, 'asof.sock'))).isSocket()).toBe(true)

    expect(JSON.parse((await run(['stats', '--data', data, '--json'])).stdout)).toMatchObject({ captures: 1 })
    await serve(data)
    expect(JSON.parse((await run(['stats', '--data', data, '--json'])).stdout)).toMatchObject({ captures: 1 })
  })

  it('rejects a data folder that another server has open', async () => {
    await serve(data)
    const { code, stdout, stderr } = await run(['serve', '--port', '0', '--data', data])
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain(data)
  })

  it('reports that its port is taken', async () => {
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    try {
      for (const command of ['serve', 'demo']) {
        const { code, stdout, stderr } = await run([command, '--port', String(port), '--data', data])
        expect(stderr).toContain(`port ${port} on 127.0.0.1 is taken`)
        expect([code, stdout]).toEqual([1, ''])
      }
    } finally {
      taken.close()
    }
  })

  it('is not needed for a command to run while a long command has the data folder open', async () => {
    const importing = new RunningCommand(['import', '-', '--data', data, '--json'])
    const { stdin } = importing.child
    // One more than an import adds at a time.
    for (let i = 0; i <= 2_000; i += 1) stdin!.write(`{"url":"https://a.example/${i}","text":"page ${i}"}\n`)
    await importing.shows('stderr', /importing/)
    expect(JSON.parse((await run(['stats', '--data', data, '--json'])).stdout)).toMatchObject({ captures: 2_000 })
    stdin!.end()
    const { code, stdout } = await importing.finished
    expect([code, JSON.parse(stdout)]).toEqual([0, { read: 2_001, added: 2_001, unchanged: 0, failed: 0 }])
  })
})
