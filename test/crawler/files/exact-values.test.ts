import { describe, expect, it } from 'vitest'
import { exportJsonl } from '../../../crawler/files/export-jsonl.ts'
import { importCsv } from '../../../crawler/files/import-csv.ts'
import { importJsonl } from '../../../crawler/files/import-jsonl.ts'
import { chunks, engine, useEmptyIndex } from './import-engine.ts'

useEmptyIndex()

const ID = '4223372036854775805'
const url = 'https://a.example/'
const refusal = expect.stringMatching(/fields\.id.* 4223372036854775805, an integer beyond 2\^53/)
const load = (line: string, map?: Record<string, string>) => importJsonl(engine, chunks(line), { map })
async function exported(): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportJsonl(engine)) lines.push(line)
  return lines
}
const fieldsOf = async () => (await engine.page(url))?.fields

describe('an integer beyond 2^53 in an import', () => {
  it.each([
    ['a field', `{"url":"${url}","text":"a","fields":{"id":${ID}}}`],
    ['a negative field', `{"url":"${url}","text":"a","fields":{"id":-${ID}}}`],
    ['a column of numbers', `{"url":"${url}","text":"a","fields.id:number":${ID}}`],
    ['a text in a column of numbers', `{"url":"${url}","text":"a","fields.id:number":" ${ID} "}`],
  ])('is refused with the name of its field in JSON lines: %s', async (_, line) => {
    const report = await load(line)
    expect(report).toMatchObject({ added: 0, failed: 1 })
    expect(report.failures[0]?.message).toMatch(/fields\.id.* -?4223372036854775805, an integer beyond 2\^53/)
  })

  it('is refused with the name of its field in CSV', async () => {
    const report = await importCsv(engine, chunks(`url,text,fields.id:number\n${url},a,${ID}\n`))
    expect(report).toMatchObject({ added: 0, failed: 1, failures: [{ message: refusal }] })
  })

  it('is lost from a list with a warning', async () => {
    const report = await load(`{"url":"${url}","text":"a","fields":{"id":[7,${ID}]}}`)
    expect(report).toMatchObject({ added: 1, warned: [{ where: 'line 1', field: 'fields.id', url }] })
    expect(await fieldsOf()).toEqual({ id: [7] })
  })

  it('keeps its digits in a field that is declared a keyword, and is found by them', async () => {
    const other = ID.replace(/5$/, '6')
    await load(`{"url":"${url}","text":"a","fields.id:keyword":${ID}}\n{"url":"${url}2","text":"a","no":${other}}`, {
      url: 'url',
      text: 'text',
      'fields.id:keyword': 'no',
    })
    await importCsv(engine, chunks(`url,text,fields.id:keyword\n${url}3,a,${ID}\n`))
    for (const query of [`id:${ID}`, `id:"${ID}"`]) {
      const { results } = await engine.search(query, { mode: 'webql' })
      expect(results.map(result => result.url).sort(), query).toEqual([url, `${url}3`])
    }
    const { results } = await engine.search('a', { filter: { id: ID } })
    expect(results).toHaveLength(2)
  })

  it('keeps its digits in a title and in structured data', async () => {
    await load(`{"url":"${url}","text":"a","title":"t","asof":{"data":[{"@type":"Product","sku":${ID}}]}}`)
    const lines = await exported()
    expect(lines.join('')).toContain(`"sku":"${ID}"`)
    expect(
      (await load(`{"url":"${url}","text":"a","no":${ID}}`, { url: 'url', text: 'text', title: 'no' })).failed,
    ).toBe(0)
    expect((await engine.page(url))?.title).toBe(ID)
  })

  it('is no matter for numbers with a fraction or an exponent, which an export writes and an import reads', async () => {
    await load(`{"url":"${url}","text":"a","fields":{"a":1e20,"b":9007199254740991,"c":-9007199254740993.0}}`)
    const before = await fieldsOf()
    expect(before).toEqual({ a: 1e20, b: 9007199254740991, c: -9007199254740992 })
    const lines = await exported()
    await engine.purge(url)
    expect(await load(lines.join(''))).toMatchObject({ added: 1, failed: 0 })
    expect(await fieldsOf()).toEqual(before)
  })
})

it('reads null as absent in every field of a record', async () => {
  const names = ['html', 'markdown', 'title', 'author', 'description', 'published_at', 'acquired_at', 'content_type']
  const others = ['fields', 'aliases', 'removed_at', 'seen_at', 'unchanged_since', 'aliased_at']
  const asof = { siteName: 'The Site', lang: null, kind: null, data: null, publishedFrom: null }
  const nulls = Object.fromEntries([...names, ...others].map(name => [name, null]))
  expect(await load(JSON.stringify({ url, text: 'a', ...nulls, asof }))).toMatchObject({ added: 1, failed: 0 })
  expect((await exported()).join('')).toContain('"siteName":"The Site"')
})

describe('an integer beyond 2^53 in a question', () => {
  it('is refused with the name of its field, never rounded', async () => {
    await load(`{"url":"${url}","text":"a","fields":{"id":1,"list":["x"]}}`)
    const filters: [unknown, string][] = [
      [{ id: 4223372036854775806n }, 'filter.id'],
      [JSON.parse('{"id":4223372036854775806}'), 'filter.id'],
      [JSON.parse('{"all":[{"id":[1,4223372036854775806]}]}'), 'filter.all[0].id[1]'],
      [{ id: { gte: 9007199254740993n } }, 'filter.id.gte'],
    ]
    for (const [filter, field] of filters)
      await expect(engine.search('a', { filter: filter as never })).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        message: expect.stringContaining('an integer beyond 2^53'),
        details: { field },
      })
    for (const query of ['id:4223372036854775806', 'a id:(1 OR 9007199254740993)'])
      await expect(engine.search(query, { mode: 'webql' })).rejects.toMatchObject({
        code: 'ASOF_INVALID_QUERY',
        message: expect.stringMatching(/id.*an integer beyond 2\^53/),
      })
    const { results } = await engine.search('a', { filter: { id: { lt: 1e300 } } })
    expect(results).toHaveLength(1)
  })
})
