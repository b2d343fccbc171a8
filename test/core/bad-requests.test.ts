import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, isAsofError, open, type SearchOptions } from '../../core/index.ts'

const NOW = Date.UTC(2025, 5, 1)

let engine: Engine

beforeAll(async () => {
  engine = await open(':memory:', { now: () => NOW })
})

afterAll(async () => {
  await engine.close()
})

describe('an unusual or invalid request', () => {
  const refused = async (asked: Promise<unknown>, code: string): Promise<void> => {
    await expect(asked).rejects.toSatisfy(error => isAsofError(error) && error.code === code)
  }

  beforeAll(async () => {
    await engine.add(
      Array.from({ length: 1200 }, (_, i) => ({
        url: `http://${i % 2 === 0 ? '192.0.2.7' : '[2001:db8::7]'}:8080/page/${i}`,
        text: `plentiful fruit number${i}`,
      })),
    )
  })

  it('may have a query of up to 2,048 characters of distinct words, and is rejected beyond that', async () => {
    let query = ''
    for (let i = 0; query.length < 2048; i++) query += `${(i + 36).toString(36)} `
    const most = query.slice(0, 2047).padEnd(2048, 'x')
    await engine.search(most)
    await engine.search(`fruit ${'🍎'.repeat(2042)}`)
    await refused(engine.search(`${most}x`), 'ASOF_INVALID_QUERY')
  })

  it('may request up to 1,000 results, and is rejected beyond that', async () => {
    const { results } = await engine.search('plentiful fruit', { maxResults: 1000 })
    expect(new Set(results.map(({ url }) => url)).size).toBe(1000)
    for (const maxResults of [1001, 0, -1, 1.5, Number.NaN, '10'])
      await refused(engine.search('fruit', { maxResults } as SearchOptions), 'ASOF_INVALID_OPTION')
  })

  it.each([
    '!?.,;:',
    '🍎',
    '🍎🍏👩‍👩‍👧‍👦',
    '"',
    '""',
    '"" "',
    '-',
    '--',
    '-"',
    '*',
    '\0',
    '\ud800',
    '" - "',
    '-a',
    '-"a b"',
    '‮',
  ])('has no results if its query contains no words: %j', async query => {
    expect((await engine.search(query)).results).toEqual([])
  })

  it.each([' ', '\t\n', '\u3000'])('is rejected if its query is blank: %j', query =>
    refused(engine.search(query), 'ASOF_INVALID_QUERY'),
  )

  it.each([5, null, undefined, {}, []])('is rejected if its query is not a string: %j', query =>
    refused(engine.search(query as unknown as string), 'ASOF_INVALID_QUERY'),
  )

  it.each([
    ['192.0.2.7', 600],
    ['2001:db8::7', 600],
    ['[2001:db8::7]', 600],
    ['192.0.2.8', 0],
    ['0.2.7', undefined],
  ])('may name an IP address as its site, but not a part of one: %s', async (site, found) => {
    for (const asked of [
      () => engine.search('fruit', { site, maxResults: 1000 }),
      () => engine.search(`fruit site:${site}`, { maxResults: 1000 }),
    ])
      if (found === undefined) await refused(asked(), 'ASOF_INVALID_OPTION')
      else expect((await asked()).results).toHaveLength(found)
  })

  it.each([
    ['192.0.2.7:8080', 600],
    ['http://[2001:db8::7]:8080/page', 600],
    ['192.0.2.7:8081', 0],
  ])('may have an address after site:, but not as the option: %s', async (site, found) => {
    await refused(engine.search('fruit', { site }), 'ASOF_INVALID_OPTION')
    for (const mode of ['realtime', 'webql'] as const)
      expect((await engine.search(`fruit site:${site}`, { mode, maxResults: 1000 })).results).toHaveLength(found)
  })

  it.each(['http://192.0.2.7', 'https://192.0.2.7/', ' 192.0.2.7 '])(
    'may have a scheme and a slash around its site: %s',
    async site => {
      for (const options of [{ site }, { sites: [site] }])
        expect((await engine.search('fruit', { ...options, maxResults: 1000 })).results).toHaveLength(600)
    },
  )

  const malformed: unknown[] = [
    'yesterday',
    '2025',
    '20250510',
    '2025-13-01',
    '2025-02-30',
    '2025-05-10T24:00:00Z',
    '2025-05-10T10',
    '2025-05-10  10:00:00',
    '2025-05-10T10:00:00 2',
    '2025-05-10T23:59:61Z',
    '2025-05-10T23:59:60+02:00',
    '2025-05-10T10:00:60Z',
    '2025-05-10T10:00:00+020',
    ' 2025-05-10',
    '2025-05-10 ',
    '-2h',
    '2.5h',
    '2H',
    '2s',
    '1234567d',
    'h',
    '١h',
    '\0',
    '2025-05-10\n',
    'x'.repeat(100_000),
    Number.NaN,
    Number.POSITIVE_INFINITY,
    8.64e15 + 1,
    -8.64e15 - 1,
    new Date(Number.NaN),
  ]
  const noTimes: unknown[] = [{}, [], true, 5n, Symbol('time'), Object.create(null), () => {}]
  const shown = (value: unknown) =>
    typeof value === 'symbol' || (typeof value === 'object' && value !== null && !Object.getPrototypeOf(value))
      ? typeof value
      : String(value).slice(0, 40)
  const cases = [
    ...malformed.map(value => [shown(value), 'ASOF_INVALID_TIME', value] as const),
    ...noTimes.map(value => [shown(value), 'ASOF_INVALID_OPTION', value] as const),
  ]

  it.each(cases)(
    'is rejected if one of its times is malformed or of the wrong type: %s, %s',
    async (_, code, value) => {
      for (const name of ['queryTime', 'acquiredAfter', 'acquiredBefore', 'publishedAfter', 'publishedBefore'])
        await refused(engine.search('fruit', { [name]: value }), code)
      await refused(engine.page('https://a.example/', { queryTime: value as string }), code)
    },
  )

  it.each([
    '2025-05-10t10:00:00z',
    '2025-05-10 10:00:00',
    '2025-05-10 12:00:00+02:00',
    '2025-05-10T12:00:00 02:00',
    '2025-05-10T12:00 0200',
  ])('may write a time as RFC 3339 allows, or with a + that became a space: %s', async queryTime => {
    expect((await engine.search('fruit', { queryTime })).receipt.instant).toBe(Date.parse('2025-05-10T10:00:00Z'))
  })

  it('may name a leap second, which is the last millisecond of its day', async () => {
    const { receipt } = await engine.search('fruit', { queryTime: '2016-12-31T23:59:60Z' })
    expect(receipt.instant).toBe(Date.parse('2016-12-31T23:59:59.999Z'))
  })

  it('is rejected if its query time lies in the future', async () => {
    await refused(engine.search('fruit', { queryTime: NOW + 3_600_000 }), 'ASOF_INVALID_TIME')
    await refused(engine.page('https://a.example/', { queryTime: '2999-01-01' }), 'ASOF_INVALID_TIME')
  })

  it.each([
    '',
    'nonsense',
    '/a',
    'mailto:a@b.example',
    'https://',
    'https://a:b@c.example/',
    `https://a.example/${'x'.repeat(20_000)}`,
  ])('for a page is rejected if the URL is invalid: %.40s', async url => {
    await refused(engine.page(url), 'ASOF_INVALID_URL')
    await refused(engine.remove(url), 'ASOF_INVALID_URL')
    await refused(engine.purge(url), 'ASOF_INVALID_URL')
  })

  it('for a page that never existed returns nothing, and deletes nothing', async () => {
    const url = 'https://never.example.com/'
    const before = await engine.stats()
    expect(await engine.page(url)).toBeUndefined()
    expect(await engine.remove(url)).toBe(false)
    expect(await engine.purge(url)).toBe(0)
    expect((await engine.stats()).urls).toBe(before.urls)
  })
})
