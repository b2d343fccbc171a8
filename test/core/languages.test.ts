import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../core/engine/engine.ts'
import { open } from '../../core/index.ts'
import { samples } from './language-samples.ts'

const english = [
  {
    title: 'Walking in the mountains',
    text: 'In summer the small huts are open and walkers find beds and warm soup there.',
  },
  {
    title: 'The village market',
    text: 'On Saturdays the farmers sell their vegetables and the bakers bring bread that is still warm.',
  },
]

const urlOf = (name: string) => `https://pages.example/${name}`

let engine: Engine

beforeAll(async () => {
  engine = await open(':memory:')
  await engine.add([
    ...samples.map(({ language, title, text }) => ({ url: urlOf(language), title, text })),
    ...english.map(({ title, text }, i) => ({ url: urlOf(`en${i}`), title, text })),
  ])
})

afterAll(async () => {
  await engine.close()
})

describe.each(samples)('a page in $language', ({ language, query, shown }) => {
  it.each(['realtime', 'pro'] as const)('is the first result of %s for a query with other word forms', async mode => {
    const { results } = await engine.search(query, { mode })
    expect(results[0]?.url).toBe(urlOf(language))
  })

  it('has the words of the query highlighted in any form', async () => {
    const { results } = await engine.search(query, { mode: 'realtime', maxResults: 1 })
    const { text, highlights } = results[0]!.snippet
    const marked = highlights.map(([start, end]) => text.slice(start, end))
    for (const word of shown)
      expect(
        marked.some(part => part.includes(word)),
        `${word} in ${marked}`,
      ).toBe(true)
  })

  it('is detected without a declaration', async () => {
    const { results } = await engine.search(`lang:${language}`, { mode: 'webql' })
    expect(results.map(({ url }) => url)).toEqual([urlOf(language)])
  })
})

describe('a query in a language with a stemmer', () => {
  const urls = async (query: string, options = {}) =>
    (await engine.search(query, { mode: 'realtime', ...options })).results.map(({ url }) => url)

  it('matches its phrases by words as written, and by stems only where no page has them so', async () => {
    expect(await urls('"kleine Hütte"', { language: 'de' })).toEqual([urlOf('de')])
    expect(await urls('"kleinen Hütten"')).toEqual([urlOf('de')])
    // No page contains them in this order, so they are found as words.
    const { warning } = await engine.search('"Hütte kleine"', { language: 'de' })
    expect(warning).toMatch(/no page has everything in quotation marks/)
    expect((await engine.search('"kleine Hütte"', { language: 'de' })).warning).toMatch(/inflections/)
    expect((await engine.search('"kleinen Hütten"', { language: 'de' })).warning).toBeUndefined()
  })

  it('excludes a word in any form', async () => {
    expect(await urls('деревянная мельница -крыло', { language: 'ru' })).toEqual([])
  })

  it('is analyzed in the requested language, in the full query language also by lang:', async () => {
    expect(await urls('barca', { language: 'es' })).toEqual([urlOf('es')])
    expect(await urls('lang:de AND "kleinen Hütten"', { mode: 'webql' })).toEqual([urlOf('de')])
    expect(await urls('lang:de AND Suppe NEAR/2 warmer', { mode: 'webql' })).toEqual([urlOf('de')])
    expect(await urls('lang:de AND NOT Hütte', { mode: 'webql' })).toEqual([])
  })

  it('finds words as written in any language, and without diacritics', async () => {
    expect(await urls('Hutten', { language: 'fr' })).toEqual([urlOf('de')])
    expect(await urls('skargarden', { language: 'sv' })).toEqual([urlOf('sv')])
  })

  it('rejects an invalid language tag', async () => {
    await expect(engine.search('word', { language: 'not a tag' })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
    })
  })

  it('gets the language of each result only if it names its own language', async () => {
    const languages = async (options: object) =>
      (await engine.search('Hütten huts faros', { mode: 'realtime', ...options })).results.map(
        ({ language }) => language,
      )
    expect((await languages({ language: 'de-AT' })).toSorted()).toEqual(['de', 'en', 'es'])
    expect(await languages({})).toEqual([undefined, undefined, undefined])
  })

  it('is explained with the language it was analyzed in, named or detected', async () => {
    const explained = async (query: string, options = {}) =>
      (await engine.search(query, { explain: true, ...options })).explain!.language
    expect(await explained('kleine Hütte mit warmer Suppe')).toBe('de')
    expect(await explained('barca', { language: 'es' })).toBe('es')
    expect(await explained('warm soup of the farmers')).toBeUndefined()
    expect(await explained('Hütte', { language: 'en' })).toBeUndefined()
  })

  it.each(samples)('in $language has parts in pro and realtime that add up to the score', async ({ query }) => {
    for (const mode of ['pro', 'realtime'] as const) {
      const { results, explain } = await engine.search(query, { mode, explain: true })
      expect(results.length).toBeGreaterThan(0)
      const sums = explain!.scores.map(parts => parts.reduce((sum, part) => sum + part.score, 0))
      expect(sums).toEqual(results.map(({ score }) => score))
    }
  })

  it('is spelling-corrected in the language that it names', async () => {
    const { results, warning } = await engine.search('kleinen Hüttten', { language: 'de', mode: 'realtime' })
    expect(warning).toMatch(/showing results for kleinen hütten/i)
    expect(results[0]?.url).toBe(urlOf('de'))
  })

  it('scores function words only if it has no other words', async () => {
    const terms = async (query: string, language: string) => {
      const { explain } = await engine.search(query, { mode: 'realtime', language, explain: true })
      return new Set(explain!.scores.flat().map(part => ('term' in part ? part.term : '')))
    }
    expect(await terms('wo finden die Wanderer warme Suppen', 'de')).toEqual(
      new Set(['find', 'finden', 'wand', 'wander', 'warm', 'supp', 'suppen']),
    )
    expect(await terms('der die und', 'de')).toEqual(new Set(['die', 'und']))
  })

  it('does not change for English', async () => {
    const { explain } = await engine.search('warm soup of the farmers', { mode: 'realtime', explain: true })
    const terms = explain!.scores.flat().map(part => ('term' in part ? part.term : ''))
    expect(new Set(terms)).toEqual(new Set(['warm', 'soup', 'farmer']))
  })
})

describe('the language of a query', () => {
  it('is detected only from captures up to the instant', async () => {
    const both = await open(':memory:')
    try {
      const page = {
        url: urlOf('a'),
        title: 'Huts',
        text: 'The small huts of the mountains are open to all who walk here.',
      }
      const [german] = samples
      await both.add([{ ...page, acquiredAt: '2024-01-01' }])
      const query = 'kleine Hütte mit warmer Suppe'
      const before = await both.search(query, { queryTime: '2024-02-01', explain: true })
      await both.add([{ url: urlOf('de'), title: german!.title, text: german!.text, acquiredAt: '2024-03-01' }])
      const after = await both.search(query, { queryTime: '2024-02-01', explain: true })
      expect(after.results).toEqual(before.results)
      expect((await both.search(query, { queryTime: '2024-04-01' })).results[0]?.url).toBe(urlOf('de'))
    } finally {
      await both.close()
    }
  })
})
