import { describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'

const AT = Date.UTC(2024, 0, 1)

/** Reads all pages of a listing. */
async function listed(engine: Engine, sort: string, maxResults: number): Promise<string[]> {
  const urls: string[] = []
  for (let cursor: string | undefined; ; ) {
    const { results, next } = await engine.search('', { sort, maxResults, cursor })
    urls.push(...results.map(({ url }) => url))
    if (next === undefined) return urls
    cursor = next
  }
}

describe('a listing by several values', () => {
  it.each([
    ['price,size', ['5', '2', '1', '3', '4']],
    ['price, size:desc', ['1', '2', '5', '3', '4']],
    ['size:desc,price:desc', ['3', '1', '2', '5', '4']],
    ['price:desc,acquiredAt', ['3', '1', '2', '5', '4']],
    ['nothing,price,size', ['5', '2', '1', '3', '4']],
    ['price,nothing', ['5', '2', '1', '3', '4']],
  ])('orders by each what is equal in those before, on pages of any size: %s', async (sort, expected) => {
    const engine = await open(':memory:', { now: () => AT })
    const add = (url: number, fields: Record<string, number>) =>
      engine.add([{ url: `https://example.com/${url}`, text: 'lamp', fields, acquiredAt: AT - 100 + url }])
    await add(1, { price: 1, size: 3 })
    await add(2, { price: 1, size: 2 })
    await add(3, { price: 2, size: 3 })
    await add(4, {})
    await add(5, { price: 1, size: 1 })
    for (const maxResults of [1, 2, 5]) {
      const urls = await listed(engine, sort, maxResults)
      expect(urls.map(url => url.replace('https://example.com/', ''))).toEqual(expected)
    }
    await engine.close()
  })

  it.each(['price,score', 'price,price:desc', 'a,b,c,d,e', 'price,', ',price', 'price,size:up'])(
    'is refused for %j',
    async sort => {
      const engine = await open(':memory:')
      await expect(engine.search('lamp', { sort })).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        details: { field: 'sort' },
      })
      await engine.close()
    },
  )

  it('does not continue at the place of an order with other keys', async () => {
    const engine = await open(':memory:', { now: () => AT })
    await engine.add(
      [1, 2].map(n => ({ url: `https://example.com/${n}`, text: 'lamp', fields: { price: n, size: n } })),
    )
    const { next } = await engine.search('', { sort: 'price,size', maxResults: 1 })
    for (const sort of ['price', 'price,size:desc', 'size,price'])
      await expect(engine.search('', { sort, maxResults: 1, cursor: next })).rejects.toMatchObject({
        details: { field: 'cursor' },
      })
    const parts = JSON.parse(Buffer.from(next!, 'base64url').toString()) as unknown[]
    const from = (further: unknown) => {
      const cursor = Buffer.from(JSON.stringify([...parts.slice(0, 7), further])).toString('base64url')
      return engine.search('', { sort: 'price,size', maxResults: 1, cursor })
    }
    for (const further of [[], [1, 2], ['x'], 3])
      await expect(from(further)).rejects.toMatchObject({ details: { field: 'cursor' } })
    // A page without the field has no value there.
    expect((await from([null])).results).toHaveLength(1)
    await engine.close()
  })
})

describe('a listing by a value', () => {
  it('has each page once, however many have the same value and the same instant', async () => {
    const engine = await open(':memory:', { now: () => AT })
    const urls = Array.from({ length: 11 }, (_, number) => `https://example.com/${number}`)
    await engine.add(urls.map(url => ({ url, text: 'lamp', fields: { price: 1 }, acquiredAt: AT - 10 })))
    for (const size of [1, 2, 3, 10, 11, 12]) {
      const found = await listed(engine, 'price', size)
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
