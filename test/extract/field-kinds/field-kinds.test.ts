import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, extract, type FieldFilter, type FieldType, type FieldValue, open } from '../../../core/index.ts'
import { exportJsonl } from '../../../crawler/files/export-jsonl.ts'
import { importJsonl } from '../../../crawler/files/import-jsonl.ts'
import { allKinds, fieldTypes } from '../../../extract/field-kinds/index.ts'
import { fieldsResponse } from '../../../service/contract/search-schemas.ts'
import { get, post, type RunningServer, startServer } from '../../transports/http/running-server.ts'

/** Two values of a kind, the lower one first if values of the kind have an order. */
interface Sample {
  values: FieldValue & readonly [FieldValue, FieldValue]
  /** The same in JSON. */
  json: readonly [unknown, unknown]
  /** A text of the lower value, as a page, an imported record and a query have it. */
  written: string
  /** Filters that find the lower value alone, in JSON. */
  filters: readonly FieldFilter[]
  /** The values of the facet. Undefined if there is none. */
  facet?: readonly [unknown, unknown]
  /** A facet with buckets, and the first bucket. Undefined if there is none, and no order. */
  buckets?: readonly [string, unknown]
}

const samples: Record<FieldType, Sample> = {
  keyword: {
    values: ['brass', 'glass'],
    json: ['brass', 'glass'],
    written: 'brass',
    filters: [{ f: 'brass' }, { f: { lt: 'c' } }, { f: { prefix: 'bra' } }],
    facet: ['brass', 'glass'],
  },
  number: {
    values: [-4.5, 20],
    json: [-4.5, 20],
    written: '-4.5',
    filters: [{ f: -4.5 }, { f: { lt: 20 } }],
    facet: [-4.5, 20],
    buckets: ['f:10', -10],
  },
  boolean: {
    values: [false, true],
    json: [false, true],
    written: 'false',
    filters: [{ f: false }],
    facet: [false, true],
  },
  instant: {
    values: [new Date('2025-05-01T10:00:00Z'), new Date('2026-01-01T00:00:00Z')],
    json: [{ $date: '2025-05-01T10:00:00.000Z' }, { $date: '2026-01-01T00:00:00.000Z' }],
    written: '2025-05-01T10:00:00Z',
    filters: [
      { f: { $date: '2025-05-01T10:00:00Z' } },
      { f: '2025-05-01' },
      { f: { lt: { $date: '2026-01-01T00:00:00Z' } } },
    ],
    facet: ['2025-05-01T10:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    buckets: ['f:month', '2025-05-01'],
  },
  text: {
    values: [{ $text: 'made of brass' }, { $text: 'made of glass' }],
    json: [{ $text: 'made of brass' }, { $text: 'made of glass' }],
    written: 'made of brass',
    filters: [],
  },
}

const urls = ['https://shop.example/1', 'https://shop.example/2'] as const
const [lower, higher] = urls
const pagesOf = ({ values }: Sample) =>
  urls.map((url, i) => ({ url, text: 'A lamp.', acquiredAt: 1_000 * (i + 1), fields: { f: values[i]! } }))
const urlsOf = (results: readonly { url: string }[] | undefined) => results?.map(({ url }) => url)

it('has a letter for each kind', () => {
  expect(new Set(allKinds.map(({ letter }) => letter)).size).toBe(allKinds.length)
  expect(fieldTypes).toEqual(Object.keys(samples))
})

it('is listed in the documents', () => {
  const document = readFileSync(path.resolve(import.meta.dirname, '../../../docs/crawling-and-import.md'), 'utf8')
  const row = document.split('\n').find(line => line.startsWith('| `type` |'))
  for (const type of fieldTypes) expect(row).toContain(`\`${type}\``)
})

it('keeps instants outside the years of four digits when it is exported and imported', async () => {
  const instants = [-8.64e15, Date.UTC(-1, 0), Date.UTC(10_000, 0), 8.64e15].map(at => new Date(at))
  const [engine, other] = [await open(':memory:'), await open(':memory:')]
  await engine.add([{ url: lower, text: 'A lamp.', acquiredAt: 1_000, fields: { f: instants } }])
  await importJsonl(other, Readable.from(exportJsonl(engine), { objectMode: false }))
  expect((await other.page(lower))?.fields).toEqual({ f: instants })
  const filter = { f: { $date: '-271821-04-20T00:00:00.000Z' } }
  expect(urlsOf((await other.search('lamp', { filter })).results)).toEqual([lower])
  const { failed } = await importJsonl(
    other,
    Readable.from([
      Buffer.from(JSON.stringify({ url: higher, text: 'A lamp.', fields: { f: { $date: '+010000-13-01' } } })),
    ]),
  )
  expect(failed).toBe(1)
  await Promise.all([engine.close(), other.close()])
})

describe.each(fieldTypes)('a field of type %s', type => {
  const sample = samples[type]
  let engine: Engine
  let server: RunningServer
  beforeAll(async () => {
    engine = await open(':memory:')
    expect(await engine.add(pagesOf(sample))).toMatchObject({ added: 2, failures: [] })
    server = await startServer({ captures: pagesOf(sample) })
  })
  afterAll(async () => {
    await engine.close()
    await server.close()
  })

  it('is shown as it was added', async () => {
    for (const [i, url] of urls.entries()) expect((await engine.page(url))?.fields).toEqual({ f: sample.values[i] })
  })

  it('is found by filters and queries', async () => {
    for (const filter of sample.filters)
      expect(urlsOf((await engine.search('lamp', { filter })).results), JSON.stringify(filter)).toEqual([lower])
    const query = `f:"${sample.written}"`
    expect(urlsOf((await engine.search(query, { mode: 'webql' })).results)).toEqual([lower])
    const all = await engine.search('lamp', { filter: { f: { exists: true } } })
    expect(urlsOf(all.results)?.toSorted()).toEqual([...urls].sort())
  })

  it('is counted as a facet, or refused as one', async () => {
    const search = (facet: string) => engine.search('lamp', { facets: [facet] })
    const refused = { code: 'ASOF_INVALID_OPTION', details: { field: 'facets', type } }
    if (sample.facet)
      expect((await search('f')).facets).toEqual([
        { field: 'f', values: sample.facet.map(value => ({ value, count: 1 })) },
      ])
    else await expect(search('f')).rejects.toMatchObject(refused)
    if (sample.buckets) {
      const [facet, value] = sample.buckets
      expect((await search(facet)).facets?.[0]?.values[0]).toEqual({ value, count: 1 })
    } else await expect(search('f:10')).rejects.toMatchObject(refused)
  })

  it('orders results, or is refused as an order', async () => {
    const sorted = async (sort: string) => urlsOf((await engine.search('lamp', { sort })).results)
    if (sample.buckets) {
      expect(await sorted('f:asc')).toEqual([lower, higher])
      expect(await sorted('f:desc')).toEqual([higher, lower])
    } else
      await expect(sorted('f:asc')).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        details: { field: 'sort', type },
      })
  })

  it('is listed with its type and values', async () => {
    const examples = (sample.facet ?? []).map(value => ({ value, count: 1 }))
    expect(await engine.fields()).toEqual([{ name: 'f', type, pages: 2, examples }])
  })

  it('is exported as JSON, and imported again', async () => {
    const lines: string[] = []
    for await (const line of exportJsonl(engine)) lines.push(line)
    expect(lines.map(line => JSON.parse(line).fields.f)).toEqual(sample.json)
    const other = await open(':memory:')
    await importJsonl(other, Readable.from(lines.map(line => Buffer.from(line))))
    for (const url of urls) expect(await other.page(url)).toEqual(await engine.page(url))
    await other.close()
  })

  it('is read from the text of a record and of a page', async () => {
    const imported = await open(':memory:')
    const record = { url: lower, text: 'A lamp.', [`fields.f:${type}`]: sample.written }
    await importJsonl(imported, Readable.from([Buffer.from(JSON.stringify(record))]))
    expect((await imported.page(lower))?.fields).toEqual({ f: sample.values[0] })
    await imported.close()
    const html = `<meta name="f" content="${sample.written}"><p>A lamp.</p>`
    const page = await extract(Buffer.from(html), { url: lower, fields: { f: { from: 'meta: f', type } } })
    expect(page.fields).toEqual({ f: sample.values[0] })
  })

  it('passes the schemas of the HTTP API', async () => {
    const { body } = await get(`${server.url}/v1/fields`)
    expect(fieldsResponse.parse(body).fields).toMatchObject([{ name: 'f', type, pages: 2 }])
    for (const filter of sample.filters) {
      const found = await post(`${server.url}/v1/search/public`, { query: 'lamp', filter })
      expect(found.body.results, JSON.stringify(filter)).toMatchObject([{ url: lower, fields: { f: sample.json[0] } }])
    }
    expect(server.failures).toEqual([])
  })
})
