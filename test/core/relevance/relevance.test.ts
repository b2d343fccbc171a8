import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open, type Relevance, repair } from '../../../core/index.ts'

let root: string
let dir: string
let engine: Engine
let clock = Date.UTC(2025, 0, 1)
const DAY = 86_400_000

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-set-relevance-'))
  dir = path.join(root, 'data')
  engine = await open(dir, { now: () => clock })
  await engine.add([
    { url: 'https://a.example/car', text: 'A red car.' },
    { url: 'https://a.example/auto', text: 'A red automobile.' },
  ])
})
afterAll(async () => {
  await engine.close()
  await rm(root, { recursive: true, force: true })
})

const urls = async (query: string, queryTime?: number) => {
  const { results } = await engine.search(query, { mode: 'realtime', queryTime })
  return results.map(({ url }) => url.slice('https://a.example/'.length))
}

describe('setting the relevance of an index', () => {
  it('changes later answers, never those as of an earlier instant, not even of the same millisecond', async () => {
    const before = (await engine.search('car', { mode: 'realtime' })).receipt.instant
    const since = await engine.setRelevance({ synonyms: [['car', 'automobile']] })
    expect(since).toBeGreaterThan(before)
    expect(await urls('car')).toEqual(['car', 'auto'])
    expect(await urls('car', before)).toEqual(['car'])
    expect((await engine.search('car')).receipt.relevanceSince).toBe(since)
    expect((await engine.search('car', { queryTime: before })).receipt).not.toHaveProperty('relevanceSince')
    expect(await engine.relevance()).toEqual({ relevance: { synonyms: [['car', 'automobile']] }, since })
    expect(await engine.relevance({ queryTime: before })).toEqual({ relevance: {} })
  })

  it('does nothing if it holds already', async () => {
    const { relevance, since } = await engine.relevance()
    clock += DAY
    expect(await engine.setRelevance(relevance)).toBe(since)
  })

  it('answers on search threads as on the calling thread, survives reopening, a backup and a repair', async () => {
    await engine.backup(path.join(root, 'backup'))
    await engine.close()
    const copy = await open(path.join(root, 'backup'), { now: () => clock, searchThreads: 1 })
    expect((await copy.search('car', { mode: 'realtime' })).results).toHaveLength(2)
    await copy.setRelevance({})
    expect((await copy.search('car', { mode: 'realtime' })).results).toHaveLength(1)
    await copy.close()
    const report = await repair(dir)
    expect(report.lost).toEqual([])
    engine = await open(dir, { now: () => clock })
    expect(await urls('car')).toEqual(['car', 'auto'])
  })

  it.each<[string, unknown]>([
    ['synonyms[0]', { synonyms: [['car']] }],
    [
      'synonyms[1][0]',
      {
        synonyms: [
          ['car', 'auto'],
          ['  ', 'x'],
        ],
      },
    ],
    ['synonyms[0].also', { synonyms: [{ words: ['car'] }] }],
    ['synonyms[0].to', { synonyms: [{ words: ['car'], to: ['auto'] }] }],
    ['synonyms[0][1]', { synonyms: [['car', 'a b c d e f']] }],
    ['synonyms', { synonyms: Array.from({ length: 5001 }, () => ['car', 'auto']) }],
    ['stopWords[0]', { stopWords: ['two words'] }],
    ['weights.title', { weights: { title: -1 } }],
    ['rules[0]', { rules: [{}] }],
    ['rules[0].when', { rules: [{ when: '!', pin: [] }] }],
    ['rules[0].pin[0].position', { rules: [{ pin: [{ url: 'https://a.example/', position: 0 }] }] }],
    ['rules[0].pin[0].url', { rules: [{ pin: [{ url: 'nowhere', position: 1 }] }] }],
    ['rules[0].boost[0].factor', { rules: [{ boost: [{ filter: { a: 1 }, factor: 11 }] }] }],
    ['rules[0].boost[0]', { rules: [{ boost: [{ filter: { 'a b': 1 }, factor: 2 }] }] }],
    [
      'relevance',
      { synonyms: Array.from({ length: 5000 }, (_, i) => [`a${i} ${'x'.repeat(90)}`, 'y'.repeat(99), 'z'.repeat(99)]) },
    ],
  ])('rejects a wrong %s', async (field, relevance) => {
    await expect(engine.setRelevance(relevance as Relevance)).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      details: { field },
    })
  })

  it('shows alternatives in snippets, explains pins and boosts, and leaves out a boost that does not fit its field', async () => {
    await engine.add([{ url: 'https://a.example/city', text: 'A walk in New York.', fields: { size: 3 } }])
    await engine.setRelevance({
      synonyms: [{ words: ['nyc'], also: ['new york'] }],
      rules: [
        {
          boost: [
            { filter: { size: { gte: 2 } }, factor: 2 },
            { filter: { size: 'large' }, factor: 2 },
          ],
        },
        {
          when: 'nyc',
          pin: [
            { url: 'https://a.example/car', position: 2 },
            { url: 'https://a.example/none', position: 1 },
          ],
        },
      ],
    })
    const { results, explain, warning } = await engine.search('nyc', { mode: 'realtime', explain: true })
    expect(results.map(({ url }) => url)).toEqual(['https://a.example/city', 'https://a.example/car'])
    const { text, highlights } = results[0]!.snippet
    expect(highlights.map(([start, end]) => text.slice(start, end))).toEqual(['New', 'York'])
    expect(explain?.scores[0]).toMatchObject([{ term: '"new york"' }, { signal: 'boost', weight: 1 }])
    expect(explain?.scores[1]).toEqual([{ signal: 'pin', weight: 0, value: 1, score: 0 }])
    expect(warning).toContain('a boost of the index was left out: filter.size is "large"')
  })

  it('searches words in fields of keywords, by the values of the instant', async () => {
    await engine.setRelevance({ weights: { fields: { brand: 2 } } })
    await engine.add([{ url: 'https://a.example/lamp', text: 'A lamp.', fields: { brand: ['Big Rivers', 'Co'] } }])
    const before = (await engine.search('river', { mode: 'realtime' })).receipt.instant
    expect(await urls('river')).toEqual(['lamp'])
    await engine.add([{ url: 'https://a.example/lamp', text: 'A lamp.', fields: { brand: 'Other' } }])
    expect(await urls('river')).toEqual([])
    expect(await urls('river', before)).toEqual(['lamp'])
    // A search that names no field searches none.
    const plain = await engine.search('river', { mode: 'realtime', queryTime: before, weights: { fields: {} } })
    expect(plain.results).toEqual([])
  })

  it('warns of a field that no page has, and refuses words of fields without words', async () => {
    await engine.add([{ url: 'https://a.example/lamp', text: 'A lamp.', fields: { brand: 'Big River', size: 3 } }])
    const search = (fields: Record<string, number>, options = {}) =>
      engine.search('lamp', { mode: 'realtime', weights: { fields }, ...options })
    expect((await search({ brand: 1 })).warning).toBeUndefined()
    expect((await search({ brnad: 1 })).warning).toMatch(/^weights\.fields: no page has the field brnad: .*brand/)
    for (const [fields, options] of [
      [{ size: 1 }, {}],
      [{ brand: 1 }, { mode: 'webql' }],
    ] as const)
      await expect(search(fields as Record<string, number>, options)).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        message: expect.stringMatching(/^weights\.fields/),
      })
  })

  it('answers in bounded time with thousands of synonyms in cycles', async () => {
    const word = (i: number) => `w${(i % 5000).toString(36)}`
    const synonyms = Array.from({ length: 5000 }, (_, i) => [word(i), word(i + 1), word(i + 2)])
    await engine.setRelevance({ synonyms })
    const query = Array.from({ length: 60 }, (_, i) => word(i)).join(' ')
    const { results, explain } = await engine.search(`red ${query}`, { mode: 'realtime', explain: true })
    expect(results).toHaveLength(2)
    expect(explain).toBeDefined()
  })
})
