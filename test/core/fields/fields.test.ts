import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { parseFilter } from '../../../core/fields/field-filter.ts'
import { MAX_FIELD_NAMES } from '../../../core/fields/field-types.ts'
import { type CaptureInput, type Engine, type FieldFilter, type Fields, open } from '../../../core/index.ts'

let now: number
let engine: Engine
const DAY = 86_400_000
const sparse: number[] = []
sparse.length = 4_000_000_000
const unreadable = {
  get a(): number {
    throw new Error('no')
  },
}

beforeEach(async () => {
  now = Date.parse('2026-01-01T00:00:00Z')
  engine = await open(':memory:', { now: () => now })
})
afterEach(async () => {
  await engine.close()
})

const lamp = (n: number, fields?: Fields, more: Partial<CaptureInput> = {}): CaptureInput => ({
  url: `https://shop.example/${n}`,
  title: `Lamp ${n}`,
  text: `A lamp with the number ${n}.`,
  fields,
  ...more,
})

async function found(filter: Parameters<typeof parseFilter>[0], query = 'lamp', queryTime?: number): Promise<string[]> {
  const options = {
    mode: 'realtime',
    maxResults: 1_000,
    filter,
    queryTime,
  } as const
  const { results } = await engine.search(query, options)
  return results.map(({ url }) => url.replace('https://shop.example/', '')).sort()
}

describe('fields', () => {
  it('may have values that differ by a zero byte at the end', async () => {
    const report = await engine.add([lamp(1, { tags: ['a\0', 'a'] }), lamp(2, { tags: ['a\0'] })])
    expect(report).toMatchObject({ added: 2, failures: [] })
    expect(await found({ tags: 'a' })).toEqual(['1'])
    expect(await found({ tags: 'a\0' })).toEqual(['1', '2'])
  })

  it('are returned by pages, results and versions, with their types', async () => {
    const released = new Date('2025-05-01T10:00:00Z')
    const fields = { price: 19.9, tags: ['b', 'a'], inStock: true, released }
    expect(await engine.add([lamp(1, fields)])).toMatchObject({ added: 1, failures: [] })
    expect((await engine.page('https://shop.example/1'))?.fields).toEqual(fields)
    const { results } = await engine.search('lamp')
    expect(results[0]?.fields).toEqual(fields)
    const { observations } = await engine.export()
    expect(observations).toMatchObject([{ fields }])
  })

  it('survive export and import', async () => {
    await engine.add([lamp(1, { price: 1, released: new Date(0) })])
    const { observations } = await engine.export()
    await engine.close()
    engine = await open(':memory:', { now: () => now })
    await engine.add(observations)
    expect(await found({ price: 1, released: new Date(0) })).toEqual(['1'])
  })

  it('that change without the text are a revision, with its own instant', async () => {
    await engine.add([lamp(1, { price: 30 })])
    const before = now
    now += DAY
    expect(await engine.add([lamp(1, { price: 10 })])).toMatchObject({ revised: 1 })
    expect(await engine.add([lamp(1, { price: 10 })])).toMatchObject({ unchanged: 1 })
    expect(await found({ price: { lt: 20 } })).toEqual(['1'])
    expect(await found({ price: { lt: 20 } }, 'lamp', before)).toEqual([])
    expect(await found({ price: 30 }, 'lamp', before)).toEqual(['1'])
    expect((await engine.page('https://shop.example/1', { queryTime: before }))?.fields).toEqual({ price: 30 })
    const { versions } = await engine.history('https://shop.example/1')
    expect(versions.map(({ kind, changed }) => [kind, changed])).toEqual([
      ['capture', []],
      ['revision', ['fields']],
    ])
    now += DAY
    expect(await engine.add([lamp(1)])).toMatchObject({ revised: 1 })
    expect(await found({ price: { exists: true } })).toEqual([])
    expect((await engine.search('lamp')).results[0]).not.toHaveProperty('fields')
  })

  it('of a page that was seen as it had been before a revision are those of then, also to filters', async () => {
    const at = (ms: number) => now - 100 + ms
    await engine.add([lamp(1, { price: 1 }, { acquiredAt: at(1) })])
    await engine.add([lamp(1, { price: 2 }, { acquiredAt: at(5) })])
    await engine.add([{ url: 'https://shop.example/1', seenAt: at(7), unchangedSince: at(1) }])
    for (const [ms, price] of [
      [1, 1],
      [5, 2],
      [7, 1],
    ] as const) {
      expect((await engine.page('https://shop.example/1', { queryTime: at(ms) }))?.fields).toEqual({ price })
      expect(await found({ price }, 'lamp', at(ms))).toEqual(['1'])
    }
  })

  it('have the type of the first value, also after reopening', async () => {
    await engine.close()
    const dir = await mkdtemp(path.join(tmpdir(), 'asof-fields-'))
    onTestFinished(async () => {
      await engine.close()
      await rm(dir, { recursive: true })
    })
    engine = await open(dir, { now: () => now, searchThreads: 0 })
    await engine.add([lamp(1, { price: 1 })])
    const mismatch = async (fields: Fields) => (await engine.add([lamp(2, fields)])).failures[0]
    expect(await mismatch({ price: 'one' })).toMatchObject({
      code: 'ASOF_INVALID_CAPTURE',
      message: 'fields.price is "one", of type keyword; in this index the field is of type number',
    })
    await engine.close()
    engine = await open(dir, { now: () => now, searchThreads: 0 })
    expect(await mismatch({ price: true })).toMatchObject({ code: 'ASOF_INVALID_CAPTURE' })
    expect(await engine.add([lamp(2, { price: 2 })])).toMatchObject({ added: 1 })
  })

  it.each<[string, unknown]>([
    ['is a list', []],
    ['is a Map', new Map([['a', 1]])],
    ['has a bad name', { 'a b': 1 }],
    ['has a reserved name', { any: 1 }],
    ['has the name __proto__', JSON.parse('{"__proto__": 1}')],
    ['has a long name', { ['x'.repeat(65)]: 1 }],
    ['has an object as value', { a: {} }],
    ['has a $date that is no time', { a: { $date: 'soon' } }],
    ['has a $date beside something else', { a: { $date: '2026-01-01', b: 1 } }],
    ['has a number that is not finite', { a: Number.NaN }],
    ['has an invalid date', { a: new Date(Number.NaN) }],
    ['has a long keyword', { a: 'x'.repeat(257) }],
    ['has half a surrogate pair', { a: '\ud800' }],
    ['has too many values', { a: Array.from({ length: 257 }, (_, i) => i) }],
    ['has too many fields', Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`f${i}`, i]))],
  ])('are refused if the object %s', async (_, fields) => {
    const { failures } = await engine.add([lamp(1, fields as Fields)])
    expect(failures[0]).toMatchObject({ code: expect.stringMatching(/^ASOF_INVALID_(CAPTURE|TIME)$/) })
  })

  it('have at most 1,000 names in an index', async () => {
    const names = Array.from({ length: MAX_FIELD_NAMES }, (_, i) => `f${i}`)
    const pages = Array.from({ length: 20 }, (_, page) =>
      lamp(page, Object.fromEntries(names.slice(page * 50, page * 50 + 50).map(name => [name, 1]))),
    )
    expect(await engine.add(pages)).toMatchObject({ added: 20, failures: [] })
    const { failures } = await engine.add([lamp(99, { more: 1 })])
    expect(failures[0]?.message).toContain('fields.more')
    expect(await engine.add([lamp(99, { f1: 1 })])).toMatchObject({ added: 1 })
  })

  it.each<[unknown, unknown, string[]]>([
    [['a', null, 'b'], ['a', 'b'], ['the value at 1 is null: left out']],
    [[2, 'n/a'], [2], ['the value at 1 is "n/a", of type keyword, unlike the others of type number: left out']],
    [['n/a', 2], [2], ['the value at 0 is "n/a", of type keyword, unlike the others of type number: left out']],
    [['a', 1, 'b'], ['a', 'b'], ['the value at 1 is 1, of type number, unlike the others of type keyword: left out']],
    [[1, Number.NaN, { a: 1 }, ['b']], [1], [expect.stringContaining('at 1'), expect.anything(), expect.anything()]],
    [[null, undefined], undefined, ['the value at 0 is null: left out', 'the value at 1 is undefined: left out']],
    [
      [4223372036854775805n, 3],
      [3],
      [expect.stringMatching(/^the value at 0 is 4223372036854775805, an integer beyond 2\^53/)],
    ],
    [[5n, 3], [5, 3], []],
  ])('lose the wrong values of the list %o with a warning, and keep the page', async (list, kept, reasons) => {
    const { added, warnings } = await engine.add([lamp(1, { a: list } as never)])
    expect([added, warnings.map(({ field }) => field)]).toEqual([1, reasons.map(() => 'fields.a')])
    expect(warnings.map(({ reason }) => reason)).toEqual(reasons)
    expect((await engine.page('https://shop.example/1'))?.fields?.a).toEqual(kept)
  })

  it('without values are none', async () => {
    await engine.add([lamp(1, { a: [], b: undefined, c: null } as never)])
    expect((await engine.page('https://shop.example/1'))?.fields).toBeUndefined()
  })
})

describe('a filter', () => {
  beforeEach(async () => {
    await engine.add([
      lamp(1, { price: 5, tags: ['a', 'b'], stock: true, at: new Date('2025-01-01T00:00:00Z') }),
      lamp(2, { price: 15, tags: 'a', stock: false, at: new Date('2025-06-01T00:00:00Z') }),
      lamp(3, { price: [25, -3], tags: 'AB-1' }),
      lamp(4),
    ])
  })

  it.each([
    [{ tags: 'a' }, ['1', '2']],
    [{ tags: ['b', 'AB-1'] }, ['1', '3']],
    [{ price: { lt: 15 } }, ['1', '3']],
    [{ price: { lte: 15, gt: 5 } }, ['2']],
    [{ price: { gte: 25 } }, ['3']],
    [{ price: { lt: 0 } }, ['3']],
    [{ price: 25 }, ['3']],
    [{ stock: true }, ['1']],
    [{ stock: [true, false] }, ['1', '2']],
    [{ at: { gt: '2025-02-01' } }, ['2']],
    [{ at: { lt: new Date('2025-02-01') } }, ['1']],
    [{ at: '2025-01-01' }, ['1']],
    [{ tags: { prefix: 'AB' } }, ['3']],
    [{ tags: { gte: 'a', lt: 'b' } }, ['1', '2']],
    [{ tags: { exists: true } }, ['1', '2', '3']],
    [{ tags: { exists: false } }, ['4']],
    [{ not: { tags: 'a' } }, ['3', '4']],
    [{ any: [{ price: 5 }, { stock: false }] }, ['1', '2']],
    [{ all: [{ tags: 'a' }, { tags: 'b' }] }, ['1']],
    [{ tags: 'a', price: { lt: 10 } }, ['1']],
    [{ any: [] }, []],
    [{}, ['1', '2', '3', '4']],
    [{ tags: [] }, []],
  ])('%j finds %j in every mode', async (filter, expected) => {
    expect(await found(filter)).toEqual(expected)
    for (const mode of ['pro', 'webql'] as const) {
      const { results } = await engine.search('lamp', { mode, filter })
      expect(results.map(({ url }) => url.at(-1)).sort()).toEqual(expected)
    }
  })

  it.each<[unknown, string]>([
    [{ price: { less: 1 } }, 'filter.price'],
    [{ price: {} }, 'filter.price'],
    [{ price: { lt: 1, gt: 'x' } }, 'filter.price'],
    [{ price: [1, {}] }, 'filter.price[1]'],
    [{ price: Number.NaN }, 'filter.price'],
    [{ any: { price: 1 } }, 'filter.any'],
    [{ any: [1] }, 'filter.any[0]'],
    [{ not: [] }, 'filter.not'],
    [{ 'a b': 1 }, 'filter.a b'],
    [{ a: null }, 'filter.a'],
    [new Map([['a', 1]]), 'filter'],
    [{ tags: { exists: 1 } }, 'filter.tags.exists'],
    [{ a: Array.from({ length: 1_025 }, (_, i) => i) }, 'filter.a'],
    [JSON.parse('{"__proto__": {"price": 1}}'), 'filter.__proto__'],
    [JSON.parse('{"any": [{"price": 5}, {"not": {"__proto__": 1}}]}'), 'filter.any[1].not.__proto__'],
    [JSON.parse('{"price": {"__proto__": 1, "lt": 3}}'), 'filter.price'],
    [{ tags: 'x'.repeat(257) }, 'filter.tags'],
    [{ tags: { prefix: '\ud800' } }, 'filter.tags.prefix'],
    [{ at: { $date: 5 } }, 'filter.at'],
    [{ at: { $date: '2025-01-01', lt: 1 } }, 'filter.at'],
  ])('%j is refused at %s', async (filter, field) => {
    await expect(engine.search('lamp', { filter: filter as never })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      details: { field },
    })
  })

  it.each<[unknown, string, Record<string, unknown>]>([
    [
      { stock: { lt: true } },
      'filter.stock.lt is true, of type boolean; booleans have no ranges: a bound must be a number, a time or a string',
      { field: 'filter.stock.lt', value: true, type: 'boolean' },
    ],
    [
      { tags: { prefix: 5 } },
      'filter.tags.prefix is 5; a prefix must be a string',
      { field: 'filter.tags.prefix', value: 5, type: 'keyword' },
    ],
    [
      { any: [{ at: [{ $date: 'nope' }] }] },
      'filter.any[0].at[0]: "nope" is not a date or time; expected a date',
      { field: 'filter.any[0].at[0]', value: 'nope', type: 'instant' },
    ],
    [
      { at: { gte: { $date: 'nope' } } },
      'filter.at.gte: "nope" is not a date or time; expected a date',
      { field: 'filter.at.gte', value: 'nope', type: 'instant' },
    ],
  ])('%j is refused with field, value and type', async (filter, message, details) => {
    await expect(engine.search('lamp', { filter: filter as never })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      message: expect.stringContaining(message),
      details,
    })
  })

  it.each<[FieldFilter, string]>([
    [
      { price: { lt: 'abc' } },
      'filter.price.lt is "abc", of type keyword; in this index the field price is of type number',
    ],
    [
      { any: [{ stock: 'true' }] },
      'filter.any[0].stock is "true", of type keyword; in this index the field stock is of type boolean',
    ],
    [
      { at: { gt: 'garbage' } },
      'filter.at.gt is "garbage", which is not a date or time; in this index the field at is of type instant: expected a date',
    ],
    [{ at: 5 }, 'filter.at is 5, of type number; in this index the field at is of type instant'],
    [{ at: { lt: '2w' } }, 'filter.at.lt is "2w", which is in weeks'],
    [
      { tags: ['a', new Date(0)] },
      'filter.tags[1] is 1970-01-01T00:00:00.000Z, of type instant; in this index the field tags is of type keyword',
    ],
  ])('%j is refused because of the type of the field', async (filter, message) => {
    await expect(engine.search('lamp', { filter })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      message: expect.stringContaining(message),
      details: { field: message.split(' ')[0], type: expect.any(String) },
    })
  })

  it.each<[FieldFilter, string[]]>([
    // A date covers its whole day; a delta counts back from now, or from queryTime.
    [{ at: '2025-01-01' }, ['1']],
    [{ at: { lte: '2024-12-31' } }, []],
    [{ at: { gt: '2025-06-01' } }, []],
    [{ at: { gte: '2025-06-01' } }, ['2']],
    [{ at: { lt: '2025-06-01' } }, ['1']],
    [{ at: { gt: '8mo' } }, ['2']],
    [{ at: { gte: '1y', lt: '300d' } }, ['1']],
    [{ at: { $date: '2025-06-01' } }, ['2']],
    [{ at: [{ $date: '2025-06-01T00:00:00.000Z' }, '2025-01-01T01:00+01:00'] }, ['1', '2']],
    [{ at: { gt: { $date: '2025-01-01T00:00:00Z' } } }, ['2']],
  ])('%j compares instants with all forms of times', async (filter, expected) => {
    expect(await found(filter)).toEqual(expected)
  })

  it('counts deltas back from queryTime', async () => {
    now += 400 * DAY
    expect(await found({ at: { gt: '8mo' } })).toEqual([])
    expect(await found({ at: { gt: '8mo' } }, 'lamp', Date.parse('2026-01-01T12:00:00Z'))).toEqual(['2'])
    const weeks = { filter: { at: { gt: '40w' } }, queryTime: '2026-01-02', weeksInFilters: true } as const
    expect((await engine.search('lamp', weeks)).results).toHaveLength(1)
  })

  it.each([
    [{ prise: 5 }, 'filter.prise', 'did you mean price?', 'price'],
    [{ Price: { lt: 5 } }, 'filter.Price', 'did you mean price?', 'price'],
    [{ tag: { prefix: 'w' } }, 'filter.tag', 'did you mean tags?', 'tags'],
    [
      { any: [{ price: 5 }, { not: { stok: { exists: false } } }] },
      'filter.any[1].not.stok',
      'did you mean stock?',
      'stock',
    ],
    [{ not: { zzzzzz: 5 } }, 'filter.not.zzzzzz', 'known are at, price, stock, tags', undefined],
  ])('on a field that no page ever had is refused with the nearest name: %j', async (filter, field, hint, nearest) => {
    const error = await engine.search('lamp', { filter: filter as FieldFilter }).catch((error: unknown) => error)
    expect(error).toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      message: `${field} names a field that no page ever had: ${hint}`,
      details: { field },
    })
    expect((error as { details: { nearest?: string } }).details.nearest).toBe(nearest)
  })

  it('on any field finds nothing in an index without captures', async () => {
    const empty = await open(':memory:')
    const { results, warning } = await empty.search('lamp', { filter: { price: 5 } })
    await empty.close()
    expect([results, warning]).toEqual([[], expect.stringContaining('no page has the field price')])
  })

  it('on a field that pages have only later has a warning, and nothing later shows in it', async () => {
    const warning = async (filter: FieldFilter, more = {}) => (await engine.search('lamp', { filter, ...more })).warning
    expect(await warning({ price: 5 })).toBeUndefined()
    const before = now
    const sealed = engine.sealed(before)
    now += DAY
    const later = ['prise', 'a1', 'b1', 'c1', 'd1', 'e1'].map(name => [name, 'x'])
    await engine.add([lamp(7, Object.fromEntries(later)), lamp(4, { brand: 'new' })])
    const many = { any: ['a1', 'b1', 'c1', 'd1', 'e1'].map(name => ({ [name]: 'x' })) }
    expect(await warning(many, { queryTime: before })).toContain('; 2 more fields of the filter are unknown')
    await expect(sealed.search('lamp', { filter: { prise: 'x' } })).rejects.toMatchObject({
      message: 'filter.prise names a field that no page ever had: did you mean price?',
    })
    for (const filter of [{ prise: 5 }, { brand: { lt: 3 } }])
      expect(await warning(filter, { queryTime: before })).toMatch(
        /^filter: no page has the field (prise|brand) as of 2026-01-01/,
      )
    await expect(warning({ prise: 5 })).rejects.toMatchObject({ details: { field: 'filter.prise', type: 'keyword' } })
    await expect(warning({ brand: { lt: 3 } })).rejects.toMatchObject({ details: { field: 'filter.brand.lt' } })
    await engine.purge('https://shop.example/7')
    await expect(warning({ prise: 5 })).rejects.toMatchObject({ details: { field: 'filter.prise', nearest: 'price' } })
  })

  it('that cannot be read is refused', async () => {
    const refused = { code: 'ASOF_INVALID_OPTION', message: 'filter cannot be read' }
    await expect(engine.search('lamp', { filter: unreadable })).rejects.toMatchObject(refused)
    const { failures } = await engine.add([lamp(9, unreadable)])
    expect(failures[0]).toMatchObject({ code: 'ASOF_INVALID_CAPTURE', message: 'the capture cannot be read' })
  })

  it('with a very long sparse list is refused at once', async () => {
    await expect(engine.search('lamp', { filter: { a: sparse } })).rejects.toMatchObject({
      details: { field: 'filter.a' },
    })
    expect((await engine.add([lamp(9, { a: sparse })])).failures).toHaveLength(1)
  })

  it('that is nested too deep is refused', () => {
    let filter: FieldFilter = { a: 1 }
    for (let i = 0; i < 100_000; i++) filter = { not: filter }
    expect(() => parseFilter(filter)).toThrow('nested more than 16 deep')
  })
})
