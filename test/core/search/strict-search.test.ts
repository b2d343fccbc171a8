import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open, type SearchOptions } from '../../../core/index.ts'

let engine: Engine
beforeAll(async () => {
  engine = await open(':memory:', { now: () => Date.UTC(2025, 0, 1) })
  await engine.add(
    Object.entries({
      one: 'a bridge of stone and an important harbor master',
      two: 'the stone was old, and the import duties were high',
      three: 'a stone bridge over the lighthouse keeper',
    }).map(([path, text]) => ({ url: `https://example.com/${path}`, text, lang: 'en' })),
  )
})
afterAll(async () => {
  await engine.close()
})

async function found(query: string, options: SearchOptions = {}) {
  const { results, warnings = [] } = await engine.search(query, options)
  return {
    urls: results.map(({ url }) => url.slice('https://example.com/'.length)).sort(),
    codes: warnings.map(({ code }) => code),
  }
}

const nothing = { urls: [], codes: [] }

describe.each(['pro', 'realtime'] as const)('a strict search in mode %s', mode => {
  it('finds quoted words only as they are written', async () => {
    const [asWords, inflected] = ['"old bridge"', '"important duties"']
    expect((await found(asWords, { mode })).codes).toEqual(['quotation'])
    expect(await found(asWords, { mode, strict: true })).toEqual(nothing)
    expect((await found('"import duty"', { mode })).codes).toEqual(['quotation'])
    expect(await found('"import duty"', { mode, strict: true })).toEqual(nothing)
    expect(await found(inflected, { mode, strict: true })).toEqual(nothing)
    expect(await found('"stone bridge"', { mode, strict: true })).toEqual({ urls: ['three'], codes: [] })
    expect(await found('"stone bridge" -"lighthouse keeper"', { mode, strict: true })).toEqual(nothing)
  })

  it('neither corrects nor splits words that no page has', async () => {
    expect((await found('lighthuose', { mode })).codes).toEqual(['spelling'])
    expect(await found('lighthuose', { mode, strict: true })).toEqual(nothing)
    expect((await found('harbormaster', { mode })).urls).toEqual(['one'])
    expect(await found('harbormaster', { mode, strict: true })).toEqual(nothing)
  })

  it('has the answer of any other search to a query that is found as written', async () => {
    for (const query of ['stone', 'stone "import duties"', 'bridges OR duties']) {
      const strict = await engine.search(query, { mode, strict: true })
      expect(strict.results.length).toBeGreaterThan(0)
      expect(strict).toEqual(await engine.search(query, { mode }))
    }
  })
})

it('a strict search continues only a strict search', async () => {
  const options = { strict: true, maxResults: 1, offset: 0 }
  const { next: cursor } = await engine.search('stone', options)
  const second = await engine.search('stone', { strict: true, maxResults: 1, cursor })
  expect(second.results).toHaveLength(1)
  await expect(engine.search('stone', { maxResults: 1, cursor })).rejects.toMatchObject({
    details: { field: 'cursor' },
  })
})

it('a strict search is not one of a query that is still being typed', async () => {
  await expect(engine.search('stone', { strict: true, typing: true })).rejects.toMatchObject({
    code: 'ASOF_INVALID_OPTION',
    details: { field: 'strict' },
  })
})
