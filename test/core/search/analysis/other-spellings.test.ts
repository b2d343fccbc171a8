import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'

const texts = [
  'made in the U.S. by hand',
  'the US trade grows',
  'trade of us and them',
  'a U.K. port',
  'a UK port',
  'a node.js server',
  'a nodejs server',
  'a node js server',
  'an M.Sc. degree',
  'an MSc degree',
  '10,000 people',
  '10000 people',
  'report of the WHO',
  'who wrote a report',
]
let engine: Engine

beforeAll(async () => {
  engine = await open(':memory:', { searchThreads: 0 })
  await engine.add(texts.map((text, i) => ({ url: `https://pages.example/${i}`, text })))
})
afterAll(async () => {
  await engine.close()
})

async function found(query: string, mode: 'pro' | 'realtime' = 'realtime') {
  const { results } = await engine.search(query, { mode, maxResults: 20 })
  return results.map(({ url }) => texts[Number(url.slice(url.lastIndexOf('/') + 1))])
}

describe('a name that is written in several ways', () => {
  it.each([
    ['node.js', ['a node.js server', 'a nodejs server', 'a node js server']],
    ['M.Sc.', ['an M.Sc. degree', 'an MSc degree']],
    ['U.K.', ['a U.K. port', 'a UK port']],
    ['10000', ['10000 people', '10,000 people']],
    ['10,000', ['10,000 people', '10000 people']],
    ['US', ['the US trade grows', 'trade of us and them', 'made in the U.S. by hand']],
  ])('is found by %s in all of them, as written first', async (query, expected) => {
    for (const mode of ['pro', 'realtime'] as const) {
      const [first, ...others] = (await found(query, mode)).slice(0, expected.length)
      expect(first).toBe(expected[0])
      expect(others.sort()).toEqual(expected.slice(1).sort())
    }
  })

  it.each([
    ['$100', []],
    ['#123', []],
    ['(200 degree', ['an M.Sc. degree', 'an MSc degree']],
    ['€10,000', ['10,000 people', '10000 people']],
  ])('may begin behind a sign: %s', async (query, expected) => {
    expect((await found(query)).sort()).toEqual([...expected].sort())
  })

  it('with initials ranks pages with all of them before pages with one of them', async () => {
    const ranked = await found('U.S.')
    expect(ranked[0]).toBe('made in the U.S. by hand')
    expect(ranked.at(-1)).toBe('a U.K. port')
  })
})

describe('a function word in capital letters', () => {
  it('is a name if other words are not in capitals', async () => {
    expect((await found('US trade'))[0]).toBe('the US trade grows')
    expect(await found('WHO')).toContain('report of the WHO')
    expect(await found('the WHO wrote')).toContain('report of the WHO')
    expect(await found('the who wrote')).not.toContain('report of the WHO')
    expect(await found('THE WHO WROTE')).not.toContain('report of the WHO')
  })
})
