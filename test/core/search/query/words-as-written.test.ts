import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'

const texts = [
  'important duty',
  'customs import duty',
  'imported goods',
  'the imports of duty',
  'an internal memo',
  'an international memo',
  'RTX 4090 card',
  'RTX4090 review',
  'RTX-4090 price',
  'an RTX 3080, and 4090 miles',
  'the plug-in works',
  'the plugin works well',
  'plug in the cable',
  'U.S.A. today',
  'USA today',
]
let engine: Engine

beforeAll(async () => {
  engine = await open(':memory:')
  await engine.add(texts.map((text, i) => ({ url: `https://pages.example/${i}`, text })))
})
afterAll(async () => {
  await engine.close()
})

async function search(query: string, mode: 'pro' | 'realtime' = 'realtime') {
  const { results, warning } = await engine.search(query, { mode, maxResults: 20 })
  return { found: results.map(({ url }) => texts[Number(url.slice(url.lastIndexOf('/') + 1))]), warning, results }
}

describe('quoted words', () => {
  it.each([
    ['"import duty"', ['customs import duty']],
    ['"international"', ['an international memo']],
    ['"internal"', ['an internal memo']],
    ['"imports"', ['the imports of duty']],
    ['"rtx4090"', ['RTX4090 review']],
  ])('are searched for as written: %s', async (query, found) => {
    for (const mode of ['pro', 'realtime'] as const)
      expect(await search(query, mode)).toMatchObject({ found, warning: undefined })
  })

  it('are searched for in other inflections, with a warning, where no page has them as written', async () => {
    const { found, warning } = await search('"importing"')
    expect(found.sort()).toEqual(['customs import duty', 'imported goods', 'the imports of duty'])
    expect(warning).toContain('inflections')
  })

  it('are marked where they are written so', async () => {
    await engine.add([{ url: 'https://pages.example/marked', text: 'Important: an import duty is no imported duty.' }])
    const { results } = await engine.search('"import duty"', { mode: 'realtime' })
    const { snippet } = results.find(({ url }) => url.endsWith('marked'))!
    expect(snippet.highlights.map(([start, end]) => snippet.text.slice(start, end))).toEqual(['import', 'duty'])
    await engine.remove('https://pages.example/marked')
  })
})

describe('excluded words', () => {
  it('do not exclude other words of the same stem', async () => {
    expect((await search('international -internal')).found).toEqual(['an international memo'])
    expect((await search('internal -international')).found).toEqual(['an internal memo'])
    expect((await search('duty -important')).found).not.toContain('important duty')
  })

  it('exclude their inflections', async () => {
    expect((await search('goods -import')).found).toEqual([])
  })
})

describe('a word as written', () => {
  it('ranks before other words of the same stem, in pro', async () => {
    for (const query of ['imports', 'important', 'international'])
      expect((await search(query, 'pro')).found[0]).toContain(query)
  })
})

describe('one word or two', () => {
  it.each([
    ['rtx4090', ['RTX4090 review', 'RTX-4090 price', 'RTX 4090 card']],
    ['plugin', ['the plug-in works', 'the plugin works well', 'plug in the cable']],
    ['usa', ['USA today', 'U.S.A. today']],
  ])('%s finds both', async (query, found) => {
    expect((await search(query)).found.sort()).toEqual(found.sort())
  })

  it.each([
    ['RTX 4090', 'RTX4090 review'],
    ['RTX-4090', 'RTX 4090 card'],
    ['plug-in', 'the plugin works well'],
    ['plug in', 'the plugin works well'],
    ['U.S.A.', 'USA today'],
  ])('%s finds %s', async (query, text) => {
    expect((await search(query)).found).toContain(text)
  })
})
