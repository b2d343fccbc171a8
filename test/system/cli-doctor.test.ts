import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RunningCommand, run, temporaryFolder } from './running-command.ts'

describe('asof doctor', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let data: string

  beforeAll(async () => {
    folder = await temporaryFolder()
    data = path.join(folder.dir, 'data')
    const pages = Array.from({ length: 20 }, (_, i) =>
      JSON.stringify({ url: `https://a.example/${i}`, text: `page number${i} of ships` }),
    )
    await writeFile(path.join(folder.dir, 'pages.jsonl'), pages.join('\n'))
    await run(['import', path.join(folder.dir, 'pages.jsonl'), '--data', data])
  })
  afterAll(() => folder.remove())

  it('finds no problem in an undamaged index, and does not change it with --repair', async () => {
    const examined = await run(['doctor', '--data', data])
    expect(examined).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the index is sound: 20 captures of 20 URLs'),
    })
    const repaired = await run(['doctor', '--repair', '--data', data, '--json'])
    expect(JSON.parse(repaired.stdout)).toMatchObject({ sound: true, captures: 20, damage: [], problems: [] })
    expect(await readdir(data)).not.toContain('index.damaged-1')
  })

  it('examines a copy of the folder while a server answers, and deletes the copy', async () => {
    const token = 'a-token-of-some-length'
    const server = new RunningCommand(['serve', '--port', '0', '--data', data], {
      ASOF_ADMIN_TOKEN: token,
      TMPDIR: folder.dir,
    })
    const [, url] = await server.shows('stdout', /listening on (\S+)/)
    const ask = async (method: 'GET' | 'POST') => {
      const response = await fetch(`${url}/admin/doctor`, { method, headers: { authorization: `Bearer ${token}` } })
      return (await response.json()) as { running: boolean }
    }
    expect((await fetch(`${url}/admin/doctor`)).status).toBe(401)
    expect(await ask('GET')).toEqual({ running: false })
    expect(await ask('POST')).toMatchObject({ running: true })
    expect(await ask('POST')).toMatchObject({ running: true })
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await expect.poll(() => ask('GET'), { timeout: 60_000 }).toMatchObject({ running: false })
    expect(await ask('GET')).toMatchObject({ captures: 20, urls: 20, findings: [] })
    const left = async () => (await readdir(folder.dir)).filter(name => name.startsWith('asof-doctor-'))
    expect(await left()).toEqual([])
    // A server that stops does not wait for an examination.
    await ask('POST')
    server.signal('SIGTERM')
    expect((await server.finished).code).toBe(0)
    expect(await left()).toEqual([])
  })

  it('reports damage and the command to run, and repairs the index with --repair', async () => {
    const index = path.join(data, 'index')
    const log = (await readdir(index)).filter(name => name.endsWith('.log'))
    const tables = (await readdir(index)).filter(name => name.endsWith('.ldb'))
    for (const name of [...log, ...tables]) {
      const file = path.join(index, name)
      const { size } = await stat(file)
      const bytes = await readFile(file)
      if (size > 2000) bytes[size >> 1]! ^= 1
      await writeFile(file, bytes)
    }
    const searched = await run(['search', 'ships', '--data', data])
    expect(searched.code).toBe(1)
    expect(searched.stderr).toContain('asof doctor --repair')
    const examined = await run(['doctor', '--data', data])
    expect(examined.code).toBe(1)
    expect(examined.stdout).toMatch(/^the index is damaged:\n {2}\d+\.(log|ldb): /)
    const repaired = await run(['doctor', '--repair', '--data', data])
    expect(repaired).toMatchObject({ code: 0, stdout: expect.stringMatching(/^the index is repaired: \d+ captures/) })
    expect(repaired.stdout).toContain(path.join(data, 'index.damaged-1'))
    expect((await run(['doctor', '--data', data])).code).toBe(0)
    expect((await run(['search', 'ships', '--data', data])).code).toBe(0)
  })

  it('rejects an index that a server has open, and a folder without an index', async () => {
    const server = new RunningCommand(['serve', '--port', '0', '--data', data])
    const [, address] = await server.shows('stdout', /listening on (http\S+)/)
    for (const command of [['doctor', '--repair'], ['upgrade'], ['serve', '--port', '0']]) {
      const refused = await run([...command, '--data', data])
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/in use by process \d+, which serves it at/)
      expect(refused.stderr).toContain(address)
    }
    server.signal('SIGTERM')
    await server.finished
    const missing = await run(['doctor', '--data', path.join(folder.dir, 'nothing')])
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no index') })
  })
})
