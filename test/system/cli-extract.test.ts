import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pdf } from '../extract/documents/made-files.ts'
import { run, temporaryFolder } from './running-command.ts'

describe('asof extract', () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=windows-1252' })
    response.end(Buffer.from('<title>Caf\xe9</title><h1>Caf\xe9</h1><p>Open until <b>nine</b>.', 'latin1'))
  })
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let url: string
  const file = (name: string) => path.join(folder.dir, name)
  const data = () => ['--data', file('data')]
  beforeAll(async () => {
    folder = await temporaryFolder()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(async () => {
    server.close()
    await folder.remove()
  })

  it('prints a file as Markdown, with its type detected from its name and bytes', async () => {
    await writeFile(file('a.txt'), '# no <b>markup</b>')
    await writeFile(file('b'), pdf([[{ text: 'Whales', size: 11, x: 72, y: 700 }]]))
    expect(await run(['extract', file('a.txt'), ...data()])).toEqual({
      code: 0,
      stdout: '\\# no \\<b>markup\\</b>\n',
      stderr: '',
    })
    expect(await run(['extract', file('b'), ...data()])).toEqual({ code: 0, stdout: 'Whales\n', stderr: '' })
  })

  it('prints a page from the web, and rejects a private address without --allow-private', async () => {
    const refused = await run(['extract', url, ...data()])
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('--allow-private')
    const { code, stdout } = await run(['extract', url, '--allow-private', ...data()])
    expect([code, stdout]).toEqual([0, '# Café\n\nOpen until **nine**.\n'])
  })

  it('prints one JSON document, which import accepts as a line', async () => {
    const { stdout } = await run(['extract', url, '--allow-private', '--json', ...data()])
    expect(JSON.parse(stdout)).toMatchObject({
      url,
      title: 'Café',
      markdown: '# Café\n\nOpen until **nine**.',
      links: [],
      data: [],
    })
    await writeFile(file('line.jsonl'), stdout)
    const imported = await run(['import', file('line.jsonl'), '--json', ...data()])
    expect(JSON.parse(imported.stdout)).toMatchObject({ added: 1, failed: 0 })
  })

  it('reports errors, with --json as a JSON document', async () => {
    await writeFile(file('broken.pdf'), '%PDF-1.4')
    const broken = await run(['extract', file('broken.pdf'), '--json', ...data()])
    expect([broken.code, JSON.parse(broken.stdout).error]).toEqual([1, 'unprocessable'])
    expect((await run(['extract', file('nothing'), ...data()])).code).toBe(2)
  })
})
