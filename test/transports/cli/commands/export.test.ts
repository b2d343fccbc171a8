import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { open } from '../../../../core/index.ts'
import { importJsonl } from '../../../../crawler/index.ts'
import { buildProgram } from '../../../../transports/cli/program.ts'
import { useCommandOutput } from '../command-output.ts'

let dir: string
const output = useCommandOutput()
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-export-'))
  const engine = await open(join(dir, 'data'))
  const lines = [
    { url: 'https://a.org/', text: 'one', acquired_at: '2000-01-01' },
    { url: 'https://a.org/', text: 'two', acquired_at: '2001-01-01' },
    { url: 'https://a.org/', text: 'two', author: 'Ann', acquired_at: '2002-01-01' },
  ]
  await importJsonl(engine, Readable.from([Buffer.from(lines.map(line => `${JSON.stringify(line)}\n`).join(''))]))
  await engine.close()
})
afterEach(async () => {
  await rm(dir, { recursive: true })
})

const run = (...args: string[]) =>
  buildProgram().parseAsync(['export', '--data', join(dir, 'data'), ...args], { from: 'user' })
const written = (name: string) => readFile(join(dir, name))

describe('asof export', () => {
  it('writes JSONL, oldest version first, and counts what it wrote', async () => {
    await run('--out', join(dir, 'all.jsonl'), '--json')
    const lines = (await written('all.jsonl')).toString().trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line).markdown)).toEqual(['one', 'two', 'two'])
    expect(JSON.parse(output.stdout)).toEqual({
      versions: 3,
      removals: 0,
      sightings: 0,
      aliases: 0,
      out: join(dir, 'all.jsonl'),
    })
  })
  it.skipIf(process.platform === 'win32')('lets the umask decide who may read the pages', async () => {
    await run('--out', join(dir, 'all.jsonl'))
    expect((await stat(join(dir, 'all.jsonl'))).mode & 0o777).toBe(0o666 & ~process.umask())
  })
  it('writes removals, sightings and aliases, and names their numbers', async () => {
    const remove = (...args: string[]) =>
      buildProgram().parseAsync(['remove', 'https://a.org/', '--data', join(dir, 'data'), ...args], { from: 'user' })
    await remove('--at', '2003-01-01', '--json')
    expect(JSON.parse(output.stdout)).toEqual({ removed: true, declared: true })
    await expect(remove('--at', '2999-01-01')).rejects.toThrow('at must not be in the future')
    const engine = await open(join(dir, 'data'))
    await engine.add([
      { url: 'https://a.org/', seenAt: '2002-06-01', unchangedSince: '2002-01-01', aliases: ['https://a.org/old'] },
    ])
    await engine.close()
    output.stdout = ''
    await run('--out', join(dir, 'all.warc'))
    expect(output.stdout).toContain('wrote 3 versions, 1 removal, 1 sighting and 1 alias to')
    await run('--out', join(dir, 'all.jsonl'))
    const lines = (await written('all.jsonl')).toString().trimEnd().split('\n')
    expect(lines.slice(-2).map(line => JSON.parse(line))).toEqual([
      {
        url: 'https://a.org/',
        seen_at: '2002-06-01T00:00:00.000Z',
        unchanged_since: '2002-01-01T00:00:00.000Z',
        aliases: ['https://a.org/old'],
      },
      { url: 'https://a.org/', removed_at: '2003-01-01T00:00:00.000Z' },
    ])
  })
  it('writes WARC if the file name or --warc asks for it, gzipped if the name ends in .gz', async () => {
    await run('--out', join(dir, 'all.warc.gz'))
    await run('--warc', '--out', join(dir, 'all'))
    expect(output.stdout).toContain('wrote 3 versions, 0 removals, 0 sightings and 0 aliases to')
    for (const bytes of [gunzipSync(await written('all.warc.gz')), await written('all')])
      expect(bytes.toString().match(/^WARC-Type: \w+/gm)).toEqual([
        'WARC-Type: warcinfo',
        'WARC-Type: resource',
        'WARC-Type: resource',
        'WARC-Type: resource',
      ])
  })
  it('rejects a file that it can not write, and leaves no file behind', async () => {
    await expect(run('--out', join(dir, 'no', 'such', 'folder.jsonl'))).rejects.toThrow("can't be written")
    await expect(run('--out', join(dir, 'all.jsonl.gz'))).rejects.toThrow('only WARC can be gzipped')
    await expect(run('--json')).rejects.toThrow('--json needs --out')
    expect(await readdir(dir)).toEqual(['data'])
  })
})
