import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'

let engine: Engine
const START = Date.UTC(2025, 0, 1)
let now = START

const page = (number: number, text: string) => ({
  url: `https://pages.example/${number}`,
  title: `Page ${number}`,
  text,
})

beforeAll(async () => {
  engine = await open(':memory:', { now: () => now })
  await engine.add([
    page(1, 'The harbour of New York, and its bridges.'),
    page(2, 'The witness spoke in New Haven.'),
    page(3, 'The rain in Spain. An art, a part, an arty car.'),
    page(4, 'Every art has a car.'),
    page(5, 'Die Zeugen wurden gehört, und ihre Aussagen sind nicht widerlegt worden.'),
    ...Array.from({ length: 12 }, (_, i) => page(10 + i, 'common words are everywhere')),
  ])
  now = START + 1000
  await engine.add([page(30, 'an orchard by the sea')])
  now = START + 2000
})
afterAll(async () => {
  await engine.close()
})

const numbers = async (query: string, options = {}) =>
  (await engine.search(query, options)).results.map(({ url }) => Number(url.slice(url.lastIndexOf('/') + 1)))

describe('a word that no capture contains', () => {
  it.each(['pro', 'realtime'] as const)('finds pages by its parts, in %s', async mode => {
    const { results, warning } = await engine.search('common harbours #NewYork', { mode, maxResults: 20 })
    expect(results[0]?.url).toBe('https://pages.example/1')
    expect(results).toHaveLength(14)
    expect(warning).toBeUndefined()
  })

  it('has its parts in the explanation and in the snippet', async () => {
    const { results, explain } = await engine.search('#NewYork', { mode: 'realtime', explain: true })
    expect(explain?.scores[0]?.map(part => 'term' in part && part.term)).toEqual(['new', 'york'])
    const [first] = results
    const shown = first?.snippet.highlights.map(([start, end]) => first.snippet.text.slice(start, end))
    expect(shown).toEqual(expect.arrayContaining(['New', 'York']))
  })

  it('scores less than its parts written as separate words', async () => {
    const [together] = (await engine.search('newyork', { mode: 'realtime' })).results
    const [apart] = (await engine.search('new york', { mode: 'realtime' })).results
    expect(together!.score).toBeCloseTo(0.6 * apart!.score, 4)
  })

  it('is split at the likeliest place, into at most three words of at least three letters', async () => {
    expect(await numbers('carpart')).toEqual([3, 4])
    expect(await numbers('newyorkharbour')).toEqual([1, 2])
    expect(await numbers('newyorkharbourbridges')).toEqual([])
    expect(await numbers('carof')).toEqual([])
  })

  it('drops function words among its parts', async () => {
    expect(await numbers('therain')).toEqual([3])
  })

  it('is split in the language of the query', async () => {
    expect(await numbers('Zeugenaussage', { language: 'de' })).toEqual([5])
  })

  it('is not split into words that only pages in another language have, or no page together', async () => {
    await engine.add([
      page(50, 'Hun har en hund og bor i en liten by ved sjøen, og det er ikke langt til skogen.'),
      page(51, 'a silverback and a smith'),
    ])
    now += 1000
    expect(await numbers('harbor')).not.toContain(50)
    expect(await numbers('silversmith')).toEqual([])
  })

  it('is split only into words that were in the index as of the instant', async () => {
    expect(await numbers('seaorchard', { queryTime: START + 500 })).toEqual([])
    expect(await numbers('seaorchard')).toEqual([30])
  })
})

describe('a word that some capture contains', () => {
  it('is split only where its parts follow one another, and ranks before them', async () => {
    await engine.add([page(40, 'a newhaven of its own'), page(41, 'a haven that is new')])
    now += 1000
    expect(await numbers('newhaven')).toEqual([40, 2])
    expect(await numbers('newhaven', { queryTime: START + 2000 })).toEqual([2, 1])
  })
})
