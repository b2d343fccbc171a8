import { describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'

const AT = Date.UTC(2024, 0, 1)

/** Reads all pages of a listing. */
async function listed(engine: Engine, maxResults: number, queryTime?: number): Promise<string[]> {
  const urls: string[] = []
  for (let cursor: string | undefined; ; ) {
    const { results, next } = await engine.search('', { sort: 'price', maxResults, queryTime, cursor })
    urls.push(...results.map(({ url }) => url))
    if (next === undefined) return urls
    cursor = next
  }
}

describe('a listing by a value', () => {
  it('has each page once, however many have the same value and the same instant', async () => {
    const engine = await open(':memory:', { now: () => AT })
    const urls = Array.from({ length: 11 }, (_, number) => `https://example.com/${number}`)
    await engine.add(urls.map(url => ({ url, text: 'lamp', fields: { price: 1 }, acquiredAt: AT - 10 })))
    for (const size of [1, 2, 3, 10, 11, 12]) {
      const found = await listed(engine, size)
      expect(found).toHaveLength(urls.length)
      expect([...found].sort()).toEqual([...urls].sort())
    }
    await engine.close()
  })

  it('has of a page that changes at an instant the new version as of then, and the old one just before', async () => {
    const engine = await open(':memory:', { now: () => AT })
    const url = 'https://example.com/'
    await engine.add([
      { url, text: 'lamp', fields: { price: 1 }, acquiredAt: AT - 20 },
      { url, text: 'lamp on sale', fields: { price: 2 }, acquiredAt: AT - 10 },
    ])
    await engine.remove(url, { at: AT - 5 })
    const shown = async (queryTime: number) =>
      (await engine.search('', { sort: 'price', queryTime, facets: ['price'] })).results.map(
        ({ snippet }) => snippet.text,
      )
    expect(await shown(AT - 21)).toEqual([])
    expect(await shown(AT - 20)).toEqual(['lamp'])
    expect(await shown(AT - 11)).toEqual(['lamp'])
    expect(await shown(AT - 10)).toEqual(['lamp on sale'])
    expect(await shown(AT - 6)).toEqual(['lamp on sale'])
    expect(await shown(AT - 5)).toEqual([])
    await engine.close()
  })
})
