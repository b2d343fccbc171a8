import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'

let engine: Engine
beforeEach(async () => {
  engine = await open(':memory:')
})
afterEach(async () => {
  await engine.close()
})

const passage = (name: string): string => Array.from({ length: 60 }, (_, word) => `${name}${word}`).join(' ')

describe('the results of pro', () => {
  it('leave out near-duplicates of a better result, which realtime keeps', async () => {
    const texts = [passage('a'), passage('a'), passage('b')]
    await engine.add(texts.map((text, i) => ({ url: `https://${i}.example/`, title: 'River', text: `ferry ${text}` })))
    const [pro, realtime] = await Promise.all([
      engine.search('river ferry', { mode: 'pro' }),
      engine.search('river ferry', { mode: 'realtime' }),
    ])
    expect(realtime.results).toHaveLength(3)
    expect(pro.results).toHaveLength(2)
  })

  it('are scored even if two terms of a page have the same hash', async () => {
    await engine.add([{ url: 'https://a.example/', text: 'alone w351x w456x' }])
    const { results } = await engine.search('alone', { mode: 'pro' })
    expect(results.map(({ score }) => Number.isFinite(score))).toEqual([true])
  })

  it('are as many as requested, however many duplicates were left out', async () => {
    const copies = Array.from({ length: 260 }, (_, i) => ({
      url: `https://copy.example/${i}`,
      title: 'River ferry',
      text: passage('copy'),
    }))
    const others = Array.from({ length: 8 }, (_, i) => ({
      url: `https://other.example/${i}`,
      title: 'Other',
      text: `river ${passage(`other${i}x`)} ${passage(`more${i}x`)}`,
    }))
    await engine.add([...copies, ...others])
    const { results } = await engine.search('river ferry', { mode: 'pro', maxResults: 9 })
    expect(results).toHaveLength(9)
    expect(results.filter(({ url }) => url.startsWith('https://copy.'))).toHaveLength(1)
  })

  it('are not all of one host if other hosts are close behind, unless the search is restricted to a site', async () => {
    const captures = Array.from({ length: 9 }, (_, i) => ({
      url: `https://${i < 6 ? 'www.many' : 'few'}.example/${i}`,
      title: i < 6 ? 'River ferry' : 'River',
      text: `ferry ${'and other things '.repeat(i)}`,
    }))
    await engine.add(captures)
    const hosts = async (options: { site?: string }, query = 'river ferry'): Promise<string[]> => {
      const { results } = await engine.search(query, { mode: 'pro', ...options })
      return results.map(({ url }) => new URL(url).hostname)
    }
    const shared = await hosts({})
    expect(shared.slice(0, 3)).toEqual(['www.many.example', 'www.many.example', 'www.many.example'])
    expect(shared[3]).toBe('few.example')
    expect(shared).toHaveLength(9)
    expect((await hosts({ site: 'example' })).slice(0, 6)).not.toContain('few.example')
    expect((await hosts({}, 'river ferry site:example')).slice(0, 6)).not.toContain('few.example')
  })

  it('prefer pages published near the day that the query names, and only for such queries', async () => {
    await engine.add(
      ['2020-02-03', '2020-06-01'].map(publishedAt => ({
        url: `https://news.example/${publishedAt}`,
        title: 'Flood',
        text: 'the flood',
        publishedAt,
      })),
    )
    const first = async (query: string): Promise<string | undefined> => (await engine.search(query)).results[0]?.url
    expect(await first('flood 3 February 2020')).toBe('https://news.example/2020-02-03')
    expect(await first('flood 1 June 2020')).toBe('https://news.example/2020-06-01')
    expect(await first('latest flood')).toBe('https://news.example/2020-06-01')
    const { explain } = await engine.search('flood', { explain: true })
    expect(explain?.scores.flat()).not.toContainEqual(expect.objectContaining({ signal: 'time' }))
  })
})
