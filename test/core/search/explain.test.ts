import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'

let engine: Engine
const START = Date.UTC(2025, 0, 1)
const words = ['river', 'stone', 'bridge', 'ferry', 'water', '東京都', 'été', 'the', 'crossing']

async function fresh(): Promise<Engine> {
  let now = START
  return open(':memory:', { now: () => now++ })
}

afterEach(() => engine.close())

const texts = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 40 }).map(list => list.join(' '))
const pages = fc.array(fc.record({ host: fc.constantFrom('a', 'b'), title: texts, text: texts }), {
  minLength: 1,
  maxLength: 30,
})
const queries = fc
  .array(fc.constantFrom(...words, '"river stone"', '-ferry', 'site:a.example', 'absent'), {
    minLength: 1,
    maxLength: 5,
  })
  .map(list => list.join(' '))

describe('an explained answer', () => {
  it('lists score parts for each result that add up to its score, to the last bit', async () => {
    await fc.assert(
      fc.asyncProperty(pages, fc.array(queries, { minLength: 1, maxLength: 6 }), async (list, asked) => {
        engine = await fresh()
        const half = Math.ceil(list.length / 2)
        const captures = list.map(({ host, title, text }, i) => ({ url: `https://${host}.example/${i}`, title, text }))
        await engine.add(captures.slice(0, half))
        await engine.add(captures.slice(half))
        for (const query of asked) {
          const mode = query.length % 2 === 0 ? 'pro' : 'realtime'
          const { results, explain } = await engine.search(query, { mode, explain: true, maxResults: 5 })
          expect(explain?.scores).toHaveLength(results.length)
          results.forEach(({ score }, i) => {
            const parts = explain?.scores[i] ?? []
            // If no page of a site contains its name, its pages are listed without a score.
            if (/^(?:site:a\.example ?)+$/.test(query) && score === 0) expect(parts).toEqual([])
            else expect(parts.length).toBeGreaterThan(0)
            expect(parts.reduce((sum, part) => sum + part.score, 0)).toBe(score)
            for (const part of parts) {
              expect(part.score).toBeGreaterThan(0)
              if ('signal' in part) {
                expect(part.score).toBeCloseTo(part.weight * part.value, 5)
                continue
              }
              expect(part.score).toBeLessThan(part.weight * 1.001 + 1e-6)
              expect(part.frequency).toBeGreaterThanOrEqual(1)
              expect(part.length).toBeGreaterThanOrEqual(part.frequency)
            }
          })
        }
        await engine.close()
      }),
      {
        numRuns: 10,
        examples: [[[{ host: 'a', title: 'river', text: 'river' }], ['site:a.example site:a.example', 'river']]],
      },
    )
  })

  it('lists each term with its weight, frequency and the length of the page', async () => {
    engine = await fresh()
    await engine.add([
      { url: 'https://a.example/1', title: 'Rivers', text: 'one river and one stone' },
      { url: 'https://a.example/2', title: 'Nothing', text: 'nothing of the kind' },
    ])
    const { explain } = await engine.search('rivers rivers absent stone', { explain: true })
    const idf = Math.log(1 + 1.5 / 1.5)
    expect(explain?.scores).toEqual([
      [
        expect.objectContaining({ term: 'river', frequency: 4, length: 8 }),
        expect.objectContaining({ term: 'stone', frequency: 1, length: 8 }),
      ],
    ])
    const [river, stone] = explain?.scores[0] ?? []
    expect(river?.weight).toBeCloseTo(2 * idf, 12)
    expect(stone?.weight).toBeCloseTo(idf, 12)
  })

  it('reports the duration of each step', async () => {
    engine = await fresh()
    await engine.add([{ url: 'https://a.example/1', text: 'river' }])
    const { explain } = await engine.search('river', { explain: true })
    const { parse, statistics, topK, snippets, total } = explain?.timings ?? expect.fail('no timings')
    for (const ms of [parse, statistics, topK, snippets, total]) expect(ms).toBeGreaterThanOrEqual(0)
    expect(parse + statistics + topK + snippets).toBeCloseTo(total, 6)
  })

  it('is otherwise the same as without explain', async () => {
    engine = await fresh()
    await engine.add([{ url: 'https://a.example/1', text: 'river' }])
    const { newest: queryTime = 0 } = await engine.stats()
    const { explain, ...explained } = await engine.search('river', { queryTime, explain: true })
    expect(explain).toBeDefined()
    expect(explained.results).toHaveLength(1)
    expect(await engine.search('river', { queryTime })).toEqual(explained)
    expect(await engine.search('river', { queryTime, explain: false })).toEqual(explained)
  })

  it('lists no score parts for a page that is looked up by its URL', async () => {
    engine = await fresh()
    await engine.add([{ url: 'https://a.example/1', text: 'river' }])
    const { results, explain } = await engine.search('https://a.example/1', { explain: true })
    expect(results).toHaveLength(1)
    expect(explain?.scores).toEqual([[]])
  })

  it('rejects an explain option that is not a boolean', async () => {
    engine = await fresh()
    await expect(engine.search('river', { explain: 'yes' as unknown as boolean })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      details: { field: 'explain' },
    })
  })
})

describe('a page that is looked up by its URL', () => {
  it('has the same receipt as any other answer as of the same instant', async () => {
    engine = await fresh()
    await engine.add([
      { url: 'https://a.example/1', text: 'river' },
      { url: 'https://a.example/2', text: 'stone' },
    ])
    const { newest: queryTime = 0 } = await engine.stats()
    const { results, receipt } = await engine.search('https://a.example/1', { queryTime })
    expect(results).toHaveLength(1)
    expect(receipt).toMatchObject({ instant: queryTime, captures: 2, segments: 1 })
    expect((await engine.search('river', { queryTime })).receipt).toEqual(receipt)
  })
})
