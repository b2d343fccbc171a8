import { describe, expect, it } from 'vitest'
import { importJsonl } from '../../../crawler/files/import-jsonl.ts'
import type { RecordImportOptions } from '../../../crawler/files/import-records.ts'
import { chunks, engine, useEmptyIndex } from './import-engine.ts'

useEmptyIndex()

const load = (records: object[], options: RecordImportOptions) =>
  importJsonl(engine, chunks(records.map(record => JSON.stringify(record)).join('\n'), 100), options)

describe('the map of an import', () => {
  it('renames properties, also inside of objects, and gives fields types', async () => {
    const map = {
      url: '_id',
      text: '_source.body',
      title: 'no',
      'fields.price:number': 'cost',
      'fields.tags': 'tags',
      'fields.day:instant': 'day',
      acquired_at: 'at',
    }
    const record = {
      _id: 'https://a.org/',
      _source: { body: 'A lamp' },
      no: 17,
      cost: '19.90',
      tags: ['a', 'b'],
      day: '2025-05-01',
      at: '2025-06-01',
      other: 1,
    }
    expect(await load([record], { map })).toMatchObject({ added: 1, failed: 0, unknownFields: [] })
    expect(await engine.page('https://a.org/')).toMatchObject({
      title: '17',
      markdown: 'A lamp',
      acquiredAt: Date.UTC(2025, 5, 1),
      fields: { price: 19.9, tags: ['a', 'b'], day: new Date('2025-05-01') },
    })
  })

  it('reads properties as texts whose words are searched, also from columns that name the type', async () => {
    const records = [
      { url: 'https://a.org/1', text: 'A', about: 'A quiet lantern', 'fields.notes:text': 'marmalade' },
      { url: 'https://a.org/2', text: 'B', about: ['Two', 'lanterns'], fields: { more: { $text: 'tea' } } },
    ]
    expect(await load(records, { map: { 'fields.summary:text': 'about' } })).toMatchObject({ added: 2, failed: 0 })
    expect((await engine.page('https://a.org/2'))?.fields).toEqual({
      summary: [{ $text: 'Two' }, { $text: 'lanterns' }],
      more: { $text: 'tea' },
    })
    const urlsOf = async (query: string) => (await engine.search(query)).results.map(({ url }) => url.slice(-1)).sort()
    expect([await urlsOf('lantern'), await urlsOf('marmalade'), await urlsOf('tea')]).toEqual([
      ['1', '2'],
      ['1'],
      ['2'],
    ])
  })

  it('prefers a property with dots in its name, and can exchange two properties', async () => {
    const map = { url: 'a.b', text: 'title', title: 'text' }
    await load([{ 'a.b': 'https://a.org/', a: { b: 'no' }, title: 'Long text', text: 'Short' }], { map })
    expect(await engine.page('https://a.org/')).toMatchObject({ title: 'Short', markdown: 'Long text' })
  })

  it('makes relative URLs absolute by the base URL', async () => {
    expect(await load([{ id: 17, text: 'A' }], { map: { url: 'id' }, baseUrl: 'https://a.org/x/' })).toMatchObject({
      added: 1,
    })
    expect(await engine.page('https://a.org/x/17')).toMatchObject({ markdown: 'A' })
  })

  it('is named in errors about a record, and so is a name that no record has', async () => {
    const report = await load([{ _id: { $oid: '1' }, body: 'A' }, { body: 'B' }], {
      map: { url: '_id', text: 'body', title: 'name' },
    })
    expect(report.failures.map(({ where, message }) => [where, message])).toEqual([
      ['line 1', 'url (_id): must be text'],
      ['line 2', 'url (_id): required'],
    ])
    expect(report.unknownFields).toEqual([{ where: 'map', field: 'name', hint: 'no record has it' }])
  })

  it.each<[Record<string, unknown>, string]>([
    [{ urls: 'a' }, 'did you mean url?'],
    [{ 'fields.a:word': 'a' }, 'keyword, number, boolean, instant, text'],
    [{ url: '' }, 'must be the name'],
    [{ url: 7 }, 'must be the name'],
  ])('%j is rejected before anything is imported', async (map, why) => {
    const options = { map: map as Record<string, string> }
    await expect(load([{}], options)).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      message: expect.stringContaining(why),
    })
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['no name of a field', { 'fields.': 1 }, 'the property "fields." is not fields.NAME or fields.NAME:TYPE'],
    ['an unknown type', { 'fields.a:money': 1 }, 'the property "fields.a:money" is not'],
    ['an object without text', { 'fields.a:boolean': { toString: 1 } }, 'an object in fields.a:boolean is not of type'],
  ])('reports a record with %s as wrong, and imports the others', async (_, odd, why) => {
    const report = await load(
      [
        { url: 'https://a.org/', text: 'A', ...odd },
        { url: 'https://b.org/', text: 'B' },
      ],
      {},
    )
    expect(report).toMatchObject({ added: 1, failed: 1 })
    expect(report.failures).toMatchObject([{ where: 'line 1', message: expect.stringContaining(why) }])
  })

  it('loses the wrong values of a list with a warning, and keeps the record', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000)
    const fields = [
      `"fields.a:number":[1,["2"],"3","n/a",null]`,
      `"fields.b":["x",${deep}]`,
      '"fields.c:instant":["2025-05-01",true,"soon"]',
    ]
    const report = await importJsonl(engine, chunks(`{"url":"https://a.org/","text":"A",${fields.join(',')}}`, 100))
    expect(report).toMatchObject({ added: 1, failed: 0 })
    expect(report.warned.map(({ where, field }) => `${where} ${field}`).sort()).toEqual([
      ...Array(3).fill('line 1 fields.a'),
      'line 1 fields.b',
      ...Array(2).fill('line 1 fields.c'),
    ])
    expect((await engine.page('https://a.org/'))?.fields).toEqual({
      a: [1, 3],
      b: ['x'],
      c: [new Date('2025-05-01')],
    })
  })

  it('ignores names of the prototype', async () => {
    const report = await load([{ url: 'https://a.org/', text: 'A' }], { map: { title: 'constructor.name' } })
    expect(report).toMatchObject({ added: 1, unknownFields: [{ field: 'constructor.name' }] })
  })
})
