import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { open } from '../../../../core/index.ts'
import { importJsonl } from '../../../../crawler/index.ts'
import { buildProgram } from '../../../../transports/cli/program.ts'

let dir: string
let printed: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-export-'))
  const engine = await open(join(dir, 'data'))
  const lines = ['one', 'two'].map((words, i) => ({ url: 'https://a.org/', text: words, acquired_at: `200${i}-01-01` }))
  await importJsonl(engine, Readable.from([Buffer.from(lines.map(line => `${JSON.stringify(line)}\n`).join(''))]))
  await engine.close()
  printed = ''
  vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    printed += text
    return true
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(dir, { recursive: true })
})

const run = (...args: string[]) =>
  buildProgram().parseAsync(['export', '--data', join(dir, 'data'), ...args], { from: 'user' })
const written = (name: string) => readFile(join(dir, name))

describe('asof export', () => {
  it('writes JSON lines, oldest first, and says how many', async () => {
    await run('--out', join(dir, 'all.jsonl'), '--json')
    const lines = (await written('all.jsonl')).toString().trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line).markdown)).toEqual(['one', 'two'])
    expect(JSON.parse(printed)).toEqual({ captures: 2, out: join(dir, 'all.jsonl') })
  })
  it('writes WARC where the name or a flag says so, gzipped by its name', async () => {
    await run('--out', join(dir, 'all.warc.gz'))
    await run('--warc', '--out', join(dir, 'all'))
    expect(printed).toContain('2 captures are in')
    for (const bytes of [gunzipSync(await written('all.warc.gz')), await written('all')])
      expect(bytes.toString().match(/^WARC-Type: \w+/gm)).toEqual([
        'WARC-Type: warcinfo',
        'WARC-Type: resource',
        'WARC-Type: resource',
      ])
  })
  it('refuses what it can not write, and leaves nothing behind', async () => {
    await expect(run('--out', join(dir, 'no', 'such', 'folder.jsonl'))).rejects.toThrow("can't be written")
    await expect(run('--out', join(dir, 'all.jsonl.gz'))).rejects.toThrow('only WARC is gzipped')
    await expect(run('--json')).rejects.toThrow('--json needs --out')
    expect(await readdir(dir)).toEqual(['data'])
  })
})
