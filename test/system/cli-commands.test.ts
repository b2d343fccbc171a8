import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fetchResponse, historyResponse, searchResponse } from '../../service/index.ts'
import { run, temporaryFolder } from './running-command.ts'

/** What `search --json` prints: the response of the API, and the receipt, which the API sends in a header. */
const printedSearch = searchResponse.extend({
  receipt: z.looseObject({ instant: z.int(), captures: z.int(), profile: z.string() }),
})

/** Parses standard output, which must be exactly one JSON document. */
function document(stdout: string): unknown {
  expect(stdout).toMatch(/^[^\n]+\n$/)
  return JSON.parse(stdout)
}

describe('commands on a data folder', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let data: string
  beforeAll(async () => {
    folder = await temporaryFolder()
    data = path.join(folder.dir, 'data')
    const lines = [
      '{"url":"https://a.example/ships","text":"Old ships","acquired_at":"2024-01-01T00:00:00Z","published_at":"2023-12-31"}',
      '{"url":"https://a.example/ships","text":"New ships","acquired_at":"2025-01-01T00:00:00Z"}',
      '',
      'not json',
      '{"url":"https://b.example/trains","markdown":"# Trains\\n\\nTrains and ships"}',
    ]
    await writeFile(path.join(folder.dir, 'pages.jsonl'), lines.join('\n'))
    const imported = await run(['import', path.join(folder.dir, 'pages.jsonl'), '--data', data, '--json'])
    expect(document(imported.stdout)).toEqual({ read: 4, added: 3, unchanged: 0, failed: 1 })
    expect(imported.stderr).toContain('line 4')
    expect(imported.code).toBe(1)
  })
  afterAll(() => folder.remove())

  it('search prints the response of the API and its receipt', async () => {
    const { code, stdout } = await run(['search', 'new', 'ships', '--data', data, '--json', '--max-results', '1'])
    expect(code).toBe(0)
    const response = printedSearch.parse(document(stdout))
    expect(response.query).toBe('new ships')
    expect(response.receipt).toMatchObject({ captures: 2, declared: 2, profile: 'pro' })
    expect(response.results.map(result => result.snippet)).toEqual(['**New** **ships**'])
  })

  it('search says as of when it answered about the past, and nothing of it for now', async () => {
    const past = await run(['search', 'ships', '--query-time', '2024-06-01', '--data', data])
    expect(past.stdout).toMatch(/^as of 2024-06-01T00:00:00\.000Z\n/)
    const delta = await run(['search', 'zzzz', '--query-time', '30d', '--data', data])
    expect(delta.stdout).toMatch(/^as of \d{4}-\d\d-\d\dT[\d:.]+Z\n\n.*no results/s)
    expect((await run(['search', 'ships', '--data', data])).stdout).not.toMatch(/^as of/m)
  })

  it('search accepts the fields of the API as flags in kebab case', async () => {
    const flags = [
      '--query-time',
      '2024-06-01',
      '--site',
      'a.example',
      '--mode',
      'realtime',
      '--snippet-max-length',
      '200',
    ]
    const windows = [
      '--acquired-after',
      '2024-01-01',
      '--acquired-before',
      '2024-01-01',
      '--published-after',
      '2023-12-31',
      '--published-before',
      '1d',
    ]
    const { stdout } = await run(['search', 'ships', ...flags, ...windows, '--data', data, '--json'])
    const response = printedSearch.parse(document(stdout))
    expect(response.mode).toBe('realtime')
    expect(response.results.map(result => result.snippet)).toEqual(['Old **ships**'])
  })

  it('search shows the language of each result with --language, and tables of scores with --explain', async () => {
    const { stdout } = await run(['search', 'trains', '--language', 'en', '--explain', '--data', data])
    expect(stdout).toMatch(/b\.example\/trains\n .*, in en$/m)
    expect(stdout).toMatch(/^ +score +weight +value +words +part$/m)
    expect(stdout).toMatch(/^ +\d+\.\d{4} +sum$/m)
    expect(stdout).toMatch(/^receipt: as of \d{4}-.*Z, 2 captures stood, 1 segment,$/m)
    const { code, stderr } = await run(['search', 'trains', '--language', 'not a tag', '--data', data])
    expect(code).toBe(2)
    expect(stderr).toContain('language')
  })

  it('search is readable without --json', async () => {
    const { code, stdout } = await run(['search', 'trains'], { ASOF_DATA: data })
    expect(code).toBe(0)
    expect(stdout).toContain('https://b.example/trains')
    expect(stdout).toContain('**Trains**')
    expect(stdout).not.toContain('\x1b')
  })

  it('fetch prints the response of the API with --json, else the page', async () => {
    const json = await run(['fetch', 'https://b.example/trains', '--data', data, '--json', '--max-chars', '8'])
    expect(fetchResponse.parse(document(json.stdout)).content).toBe('# Trains')
    const plain = await run(['fetch', 'https://b.example/trains', '--data', data])
    expect(plain.stdout).toContain('Trains and ships')
  })

  it('fetch reads a page as of --query-time, and rejects --live with it', async () => {
    const url = 'https://a.example/ships'
    const json = await run(['fetch', url, '--query-time', '2024-06-01', '--data', data, '--json'])
    expect(fetchResponse.parse(document(json.stdout))).toMatchObject({
      content: 'Old ships',
      acquired_at: '2024-01-01T00:00:00.000Z',
      superseded_at: '2025-01-01T00:00:00.000Z',
    })
    const plain = await run(['fetch', url, '--query-time', '2025-01-01', '--data', data])
    expect(plain.stdout).toContain('acquired 2025-01-01T00:00:00.000Z, current')
    const before = await run(['fetch', url, '--query-time', '2023-06-01', '--data', data])
    expect([before.code, before.stderr]).toEqual([1, expect.stringContaining('2023-06-01T00:00:00.000Z')])
    const live = await run(['fetch', url, '--query-time', '2024-06-01', '--live', '--data', data])
    expect([live.code, live.stderr]).toEqual([2, expect.stringMatching(/--live .* --query-time/)])
  })

  it('history lists the versions of a page, as the response of the API or as a table of 80 columns', async () => {
    const url = 'https://a.example/ships'
    const json = await run(['history', url, '--data', data, '--json'])
    expect(historyResponse.parse(document(json.stdout)).versions.map(({ at, changed }) => [at, changed])).toEqual([
      ['2024-01-01T00:00:00.000Z', []],
      ['2025-01-01T00:00:00.000Z', ['title', 'text', 'published_at']],
    ])
    const table = await run(['history', url, '--query-time', '2024-06-01', '--data', data])
    expect(table.stdout).toMatch(/^2024-01-01T00:00:00\.000Z {2}current {19}first version$/m)
    expect(table.stdout).not.toContain('2025')
    expect((await run(['history', 'https://a.example/none', '--data', data])).code).toBe(1)
    expect((await run(['history', url, '--limit', '0', '--data', data])).code).toBe(2)
  })

  it('stats prints the statistics of the index', async () => {
    const { code, stdout } = await run(['stats', '--data', data, '--json'])
    expect(code).toBe(0)
    const stats = document(stdout) as Record<string, unknown>
    expect(Object.keys(stats)).toEqual(['captures', 'urls', 'segments', 'terms', 'bytes', 'oldest', 'newest'])
    expect(stats).toMatchObject({ captures: 3, urls: 2, oldest: '2024-01-01T00:00:00.000Z' })
  })

  it('import counts revisions, names the values that it leaves out, and accepts lines in any order', async () => {
    const line = (day: number, price: number, more = {}) => ({
      url: 'https://d.example/lamp',
      title: 'Lamp',
      text: 'A lamp for the desk',
      acquired_at: `2024-01-0${day}T00:00:00Z`,
      asof: { data: [{ '@type': 'Product', offers: { price } }] },
      ...more,
    })
    const lines = [line(5, 25), line(1, 20), line(3, 20, { published_at: '2024-02-01' }), line(7, 25)]
    const file = path.join(folder.dir, 'shuffled.jsonl')
    await writeFile(file, lines.map(each => `${JSON.stringify(each)}\n`).join(''))
    const other = path.join(folder.dir, 'shuffled-data')
    const imported = await run(['import', file, '--data', other, '--json'])
    expect(document(imported.stdout)).toEqual({
      read: 4,
      added: 1,
      unchanged: 2,
      failed: 0,
      revised: 1,
      warnings: 1,
    })
    expect(imported.stderr).toMatch(/1 value dropped or cut\n(?:.*\n)*.*published_at: later than acquired_at: left out/)
    expect(imported.code).toBe(0)
    const stats = document((await run(['stats', '--data', other, '--json'])).stdout)
    expect(stats).toMatchObject({ captures: 1, oldest: '2024-01-01T00:00:00.000Z', newest: '2024-01-01T00:00:00.000Z' })
  })

  it('import accepts a folder, whose files get URLs below --base-url', async () => {
    const site = path.join(folder.dir, 'site')
    await mkdir(path.join(site, 'docs'), { recursive: true })
    await writeFile(path.join(site, 'docs/a.html'), '<title>Anchors</title><p>About anchors</p>')
    await writeFile(path.join(site, 'b.md'), '# Buoys\n\nAbout buoys')
    const other = path.join(folder.dir, 'folder-data')
    const imported = await run(['import', site, '--base-url', 'https://c.example/', '--data', other, '--json'])
    expect(document(imported.stdout)).toEqual({ read: 2, added: 2, unchanged: 0, failed: 0 })
    expect(imported.code).toBe(0)
    const found = printedSearch.parse(JSON.parse((await run(['search', 'anchors', '--data', other, '--json'])).stdout))
    expect(found.results.map(result => result.url)).toEqual(['https://c.example/docs/a.html'])
  })

  it('import exits with 1 if there was nothing to import, and names endings and fields that it left out', async () => {
    const other = path.join(folder.dir, 'nothing-data')
    const site = path.join(folder.dir, 'sources')
    await mkdir(site, { recursive: true })
    for (const name of ['a.rst', 'b.rst', 'c.adoc']) await writeFile(path.join(site, name), 'Text')
    const nothing = await run(['import', site, '--data', other, '--json'])
    expect([nothing.code, document(nothing.stdout)]).toEqual([1, { read: 0, added: 0, unchanged: 0, failed: 0 }])
    expect(nothing.stderr).toContain('left out 3 files with other endings: 2 .rst, 1 .adoc')
    await writeFile(path.join(site, 'lines.jsonl'), '{"url":"https://a.example/","text":"Text","titel":"Title"}')
    const unknown = await run(['import', path.join(site, 'lines.jsonl'), '--data', other, '--json'])
    expect([unknown.code, document(unknown.stdout)]).toMatchObject([0, { added: 1, unknown_fields: ['titel'] }])
    expect(unknown.stderr).toContain('line 1: unknown field titel, which is ignored; did you mean title?')
    await writeFile(path.join(site, 'page.markdown'), '# A page')
    const single = await run(['import', path.join(site, 'page.markdown'), '--data', other, '--json'])
    expect([single.code, document(single.stdout)]).toMatchObject([0, { added: 1 }])
  })

  it('backup creates a data folder that gives the same answers', async () => {
    const target = path.join(folder.dir, 'copies', 'backup')
    const { code, stdout } = await run(['backup', target, '--data', data, '--json'])
    expect(code).toBe(0)
    expect(document(stdout)).toEqual({
      dir: target,
      instant: expect.stringMatching(/^\d{4}-.*Z$/),
      captures: 3,
      urls: 2,
      bytes: expect.any(Number),
    })
    const search = (of: string) => run(['search', 'ships', '--query-time', '2024-06-01', '--data', of, '--json'])
    expect((await search(target)).stdout).toBe((await search(data)).stdout)
    const again = await run(['backup', target, '--data', data, '--json'])
    expect([again.code, document(again.stdout)]).toEqual([2, expect.objectContaining({ error: 'invalid_request' })])
  })

  it('remove keeps the past of a page, and purge deletes it', async () => {
    const other = path.join(folder.dir, 'removal-data')
    await run(['import', path.join(folder.dir, 'pages.jsonl'), '--data', other])
    const found = async (...flags: string[]) => {
      const { stdout } = await run([
        'search',
        'old',
        'ships',
        '--site',
        'a.example',
        '--data',
        other,
        '--json',
        ...flags,
      ])
      return printedSearch.parse(JSON.parse(stdout)).results.length
    }
    const removed = await run(['remove', 'https://a.example/ships', '--data', other, '--json'])
    expect([removed.code, document(removed.stdout)]).toEqual([0, { removed: true }])
    expect([await found(), await found('--query-time', '2024-06-01')]).toEqual([0, 1])
    const purged = await run(['purge', 'https://a.example/ships', '--data', other, '--json'])
    expect([purged.code, document(purged.stdout)]).toEqual([0, { purged: 2 }])
    expect(await found('--query-time', '2024-06-01')).toBe(0)
    expect((await run(['remove', 'https://a.example/ships', '--data', other])).code).toBe(1)
  })

  it('remove --at records a removal also where the index held no page then, and exits with 0', async () => {
    const other = path.join(folder.dir, 'declared-removal')
    await run(['import', path.join(folder.dir, 'pages.jsonl'), '--data', other])
    const remove = (url: string, ...flags: string[]) =>
      run(['remove', url, '--at', '2025-03-01', '--data', other, ...flags])
    const absent = await remove('https://new.example/', '--json')
    expect([absent.code, document(absent.stdout)]).toEqual([0, { removed: false, declared: true }])
    const text = await remove('https://new.example/')
    expect([text.code, text.stdout]).toEqual([0, expect.stringContaining('the removal is recorded')])
    const present = await remove('https://a.example/ships', '--json')
    expect([present.code, document(present.stdout)]).toEqual([0, { removed: true, declared: true }])
    const line = path.join(folder.dir, 'late.jsonl')
    await writeFile(line, '{"url":"https://new.example/","text":"late heron","acquired_at":"2025-01-01"}')
    await run(['import', line, '--data', other])
    const found = async (...flags: string[]) => {
      const { stdout } = await run(['search', '--data', other, '--json', ...flags, '--', 'heron', '-grey'])
      return printedSearch.parse(JSON.parse(stdout)).results.length
    }
    expect([await found('--query-time', '2025-02-01'), await found()]).toEqual([1, 0])
  })

  it('a failure with --json prints one JSON document and exits with 1', async () => {
    const { code, stdout, stderr } = await run(['fetch', 'https://none.example/', '--data', data, '--json'])
    expect(code).toBe(1)
    expect(document(stdout)).toMatchObject({ error: 'not_indexed' })
    expect(stderr).toContain('asof: ')
  })
})

describe('invalid usage', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  beforeAll(async () => {
    folder = await temporaryFolder()
  })
  afterAll(() => folder.remove())

  it.each([
    [['sing'], "unknown command 'sing'"],
    [['search'], "missing required argument 'query'"],
    [['search', 'a', '--colour', 'red'], "unknown option '--colour'"],
    [['search', '-heron'], "search -- '-heron'"],
    [['search', 'a', '--max-results', '51'], '--max-results'],
    [['search', 'a', '--mode', 'fast'], 'mode'],
    [['search', 'a', '--query-time', 'yesterday'], 'yesterday'],
    [['search', 'a', '--site', 'https://a.example/docs'], 'site'],
    [['fetch', 'nowhere'], 'url'],
    [['fetch', 'https://a.example/', '--max-chars', '0'], '--max-chars'],
    [['crawl', 'nowhere'], 'nowhere'],
    [['crawl', 'https://a.example/', '--max-pages', 'all'], '--max-pages'],
    [['import', 'nowhere.jsonl'], 'nowhere.jsonl'],
    [['import', import.meta.filename], 'only folders, JSONL'],
    [['serve', '--port', '70000'], '--port'],
    [['serve', '--base-url', 'nowhere'], '--base-url'],
  ])('of %j exits with 2 and a message that names the error', async (args, said) => {
    const { code, stdout, stderr } = await run(args[0] === 'sing' ? args : [...args, '--data', folder.dir])
    expect(stderr).toContain(said)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  it('includes an unknown key in asof.json, which the message names', async () => {
    const dir = path.join(folder.dir, 'with-file')
    await mkdir(dir)
    await writeFile(path.join(dir, 'asof.json'), '{"prot": 1}')
    const { code, stderr } = await run(['stats', '--data', dir])
    expect(stderr).toContain('prot')
    expect(code).toBe(2)
  })

  it('does not include --help, which lists the commands', async () => {
    const { code, stdout } = await run(['--help'])
    expect(code).toBe(0)
    for (const name of ['crawl', 'import', 'search', 'fetch', 'serve', 'stats', 'remove', 'purge', 'backup', 'demo']) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    }
  })
})
