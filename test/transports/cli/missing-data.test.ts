import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { open } from '../../../core/index.ts'
import { buildProgram } from '../../../transports/cli/program.ts'
import { useCommandOutput } from './command-output.ts'

let dir: string
const output = useCommandOutput()

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-missing-'))
})
afterEach(async () => {
  await rm(dir, { recursive: true })
})

const run = (...args: string[]) => buildProgram().parseAsync(['node', 'asof', ...args])

/** Every command that only reads a data folder, with its required arguments. */
const reading: string[][] = [
  ['search', 'ticket'],
  ['fetch', 'https://a.example/'],
  ['stats'],
  ['export'],
  ['backup', 'TARGET'],
  ['embed'],
  ['remove', 'https://a.example/'],
  ['purge', 'https://a.example/'],
  ['crawls'],
  ['doctor'],
  ['doctor', '--repair'],
  ['mcp'],
  ['feedback', 'export'],
  ['org', 'list'],
  ['org', 'audit'],
  ['workspace', 'list'],
  ['key', 'list'],
  ['credits', 'list', '--org', 'a'],
  ['usage', '--org', 'a'],
  ['payment', 'list'],
  ['payment', 'totals'],
  ['payment', 'export'],
]

describe('a command that only reads a data folder', () => {
  it.each(reading.map(args => [args.join(' '), args] as const))(
    'rejects a missing folder, names it, and creates nothing: %s',
    async (_, args) => {
      const missing = join(dir, 'missing')
      const given = args.map(arg => (arg === 'TARGET' ? join(dir, 'target') : arg))
      await expect(run(...given, '--data', missing)).rejects.toMatchObject({
        code: 'ASOF_STORE_MISSING',
        message: `there is no index in ${missing}: the folder does not exist`,
      })
      expect(await readdir(dir)).toEqual([])
      expect(output.stdout).toBe('')
    },
  )

  it('rejects a folder without an index, and creates no index', async () => {
    for (const args of reading.filter(([name]) => name === 'search' || name === 'stats' || name === 'mcp'))
      await expect(run(...args, '--data', dir)).rejects.toMatchObject({ code: 'ASOF_STORE_MISSING' })
    expect(await readdir(dir)).toEqual([])
  })

  it('rejects a bad request first, even if the folder is missing', async () => {
    const missing = join(dir, 'missing')
    await expect(run('search', 'a', '--query-time', 'soon', '--data', missing)).rejects.toMatchObject({
      code: 'ASOF_INVALID_TIME',
    })
    await expect(run('search', 'a', '--max-results', '99', '--data', missing)).rejects.toMatchObject({
      kind: 'invalid_request',
    })
  })
})

describe('a command that adds to a data folder', () => {
  it('creates it: org create', async () => {
    const data = join(dir, 'new')
    await run('org', 'create', 'A', '--data', data)
    expect((await stat(join(data, 'index'))).isDirectory()).toBe(true)
  })
})

describe('asof import', () => {
  it('rejects --base-url if nothing is imported whose URLs may be relative', async () => {
    const file = join(dir, 'a.warc')
    await writeFile(file, '')
    const refused = run('import', file, '--base-url', 'https://a.example/', '--data', join(dir, 'new'))
    await expect(refused).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('--base-url'),
    })
    expect(await readdir(dir)).toEqual(['a.warc'])
  })
})

describe('asof search on an index without pages as of the query time', () => {
  beforeEach(async () => {
    const engine = await open(dir)
    await engine.add([{ url: 'https://a.example/', text: 'a ticket', acquiredAt: '2025-03-01' }])
    await engine.close()
  })

  it('warns that the index holds no page', async () => {
    await run('search', 'ticket', '--query-time', '2025-01-01T10:00+0200', '--data', dir)
    expect(output.stdout).toBe(
      'as of 2025-01-01T08:00:00.000Z\n\nwarning: the index holds no page as of 2025-01-01T08:00:00.000Z\n\nno results\n',
    )
    output.stdout = ''
    await run('search', 'ticket', '--query-time', '2025-01-01', '--data', dir, '--json')
    expect(JSON.parse(output.stdout)).toMatchObject({
      warning: 'the index holds no page as of 2025-01-01T00:00:00.000Z',
    })
  })

  it('does not warn if the index holds pages of which none matches', async () => {
    await run('search', 'zebra', '--data', dir)
    expect(output.stdout).toBe('no results\n')
  })
})
