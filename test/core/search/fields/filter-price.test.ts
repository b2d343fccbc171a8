import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Engine, type FieldFilter, open } from '../../../../core/index.ts'
import { MAX_COMPARED } from '../../../../core/search/fields/filter-as-of.ts'
import { TermColumn } from '../../../../core/search/fields/term-column.ts'

const PAGES = 20_000
let engine: Engine

beforeAll(async () => {
  engine = await open(':memory:')
  const pages = Array.from({ length: PAGES }, (_, i) => ({
    url: `https://shop.example/${i}`,
    text: 'A lamp.',
    fields: { id: `id-${i}`, size: i, maker: `maker-${i}`, place: `place-${i}` },
    acquiredAt: 1_700_000_000_000 + i,
  }))
  for (let at = 0; at < PAGES; at += 5_000) await engine.add(pages.slice(at, at + 5_000))
})
afterAll(() => engine.close())

/** Processor time of one search on this thread, ms, and the number of its results. */
async function cost(filter: FieldFilter, queryTime?: number): Promise<{ ms: number; results: number }> {
  const before = process.threadCpuUsage()
  const { results } = await engine.search('lamp', {
    mode: 'realtime',
    maxResults: 1_000,
    snippetMaxLength: 0,
    filter,
    queryTime,
  })
  const { user, system } = process.threadCpuUsage(before)
  return { ms: (user + system) / 1000, results: results.length }
}

const times = (count: number, of: (i: number) => FieldFilter) => Array.from({ length: count }, (_, i) => of(i))

describe('a filter with many ranges', () => {
  // Each took about 4,900 ms when every range read every term.
  it.each<[string, FieldFilter, number]>([
    ['equal prefixes', { any: times(100, () => ({ id: { prefix: 'id-1999' } })) }, 11],
    [
      'prefixes that include each other',
      { any: times(100, i => ({ id: { prefix: 'id-1999'.slice(0, 4 + (i % 4)) } })) },
      1_000,
    ],
    ['different ranges that all must hold', { all: times(100, i => ({ id: { gte: `id-1${i}` } })) }, 1_000],
    [
      'equal ranges in different places',
      { any: times(100, i => ({ id: { gte: 'id-' }, size: { gte: 19_990 - i } })) },
      109,
    ],
  ])('takes one pass over the values for %s', async (_, filter, results) => {
    const { ms, ...found } = await cost(filter)
    expect(found).toEqual({ results })
    expect(ms).toBeLessThan(4_000)
  })

  // Each of the 180 conditions read all terms of its field again, 1,100 ms in all.
  it('reads the values of each field once a segment, in whatever order the conditions are', async () => {
    const { segments = 0 } = await engine.stats()
    const read = vi.spyOn(TermColumn, 'ofSegment')
    try {
      const fields = ['id', 'maker', 'place']
      const filter = {
        all: times(90, i => ({
          any: [{ [fields[i % 3]!]: { gte: `m${i}` } }, { not: { [fields[(i + 1) % 3]!]: { lt: `m${i}` } } }],
        })),
      }
      await cost(filter)
      expect(read.mock.calls.length).toBeLessThanOrEqual(fields.length * segments)
      expect(new Set(read.mock.calls.map(([segment, prefix]) => `${segment.info.id} ${prefix}`)).size).toBe(
        read.mock.calls.length,
      )
    } finally {
      read.mockRestore()
    }
  })

  const tooMany: FieldFilter = { all: times(250, i => ({ size: { gte: -i } })) }

  it('is refused before it is evaluated if it compares too many values, with what to do', async () => {
    const before = process.threadCpuUsage()
    await expect(cost(tooMany)).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      message: `filter has 250 different ranges, prefixes and exists, which compare at least ${250 * PAGES} values; the limit is ${MAX_COMPARED}, or 16 conditions: use fewer of them, lists of values, or one { any: […] } for each field`,
      details: { field: 'filter', values: 250 * PAGES, limit: MAX_COMPARED },
    })
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(2_000)
  })

  it('is limited in the same way in the full query language', async () => {
    const query = (count: number) => `size:(${Array.from({ length: count }, (_, i) => `>${i}`).join(' OR ')})`
    await expect(engine.search(query(250), { mode: 'webql' })).rejects.toMatchObject({
      code: 'ASOF_INVALID_QUERY',
      message: expect.stringContaining('query has 250 different ranges'),
      details: { field: 'query', values: MAX_COMPARED + PAGES, limit: MAX_COMPARED },
    })
    const { total } = await engine.search(query(20), { mode: 'webql', facets: ['size:20000'] })
    expect(total).toEqual({ value: PAGES - 1, exact: true })
    // Those of the option count together with those of the query.
    await expect(
      engine.search(query(20), { mode: 'webql', filter: { all: times(190, i => ({ size: { gte: -i } })) } }),
    ).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION', details: { field: 'filter' } })
  })

  it('costs what it costs as of the instant, whatever was acquired later', async () => {
    const half = 1_700_000_000_000 + PAGES / 2
    expect(await cost(tooMany, half)).toMatchObject({ results: 1_000 })
  })

  it('ends when the search has used up its time', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'asof-price-'))
    const dir = path.join(root, 'copy')
    await engine.backup(dir)
    await engine.close()
    engine = await open(dir, { searchThreads: 0, searchTimeoutMs: 3 })
    try {
      await expect(cost({ all: times(190, i => ({ size: { gte: -i } })) })).rejects.toMatchObject({
        code: 'ASOF_SEARCH_TIMEOUT',
      })
    } finally {
      await engine.close()
      await rm(root, { recursive: true })
    }
  })
})
