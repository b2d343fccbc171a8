import { describe, expect, it } from 'vitest'
import { importCsv } from '../../../crawler/files/import-csv.ts'
import { chunks, engine, useEmptyIndex } from './import-engine.ts'

useEmptyIndex()

describe('CSV import', () => {
  it('reads rows with quoted delimiters, quotation marks and line breaks, however the bytes are cut', async () => {
    const csv = '\ufeffurl,title,text\r\nhttps://a.org/,"A, ""quoted""","two\r\nlines ☃"\r\n\r\nhttps://b.org/,,B\r\n'
    for (const size of [10_000, 1, 3]) {
      const report = await importCsv(engine, chunks(csv, size))
      expect(report).toMatchObject({ read: 2, failed: 0, unknownFields: [] })
    }
    expect(await engine.page('https://a.org/')).toMatchObject({
      title: 'A, "quoted"',
      markdown: expect.stringMatching(/two\s+lines ☃/),
    })
  })

  it.each([',', ';', '\t'])('recognizes the delimiter %j', async delimiter => {
    const csv = ['url|text|"a,b;c"', 'https://a.org/|A, B; C|x']
      .join('\n')
      .replaceAll(', B; C', '')
      .replaceAll('|', delimiter)
    expect(await importCsv(engine, chunks(csv))).toMatchObject({ read: 1, added: 1 })
  })

  it('reads the columns fields.NAME and fields.NAME:TYPE as fields, and leaves out empty values', async () => {
    const csv = `url,text,fields.price:number,fields.sku,fields.sold:boolean,fields.day:instant
https://a.org/,A,19.90,0017,true,2025-05-01
https://b.org/,B,,,,
https://c.org/,C,cheap,,,`
    const report = await importCsv(engine, chunks(csv))
    expect(report).toMatchObject({ added: 2, failed: 1 })
    expect(report.errors).toMatchObject([
      { where: 'line 4', message: 'fields.price: "cheap" in fields.price:number is not of type number' },
    ])
    const day = new Date('2025-05-01')
    expect((await engine.page('https://a.org/'))?.fields).toEqual({ price: 19.9, sku: '0017', sold: true, day })
    expect((await engine.page('https://b.org/'))?.fields).toBeUndefined()
  })

  it('reports each wrong row by the line in which it begins, and imports the others', async () => {
    const csv = `url,text
https://a.org/,"A
of two lines"
nowhere,B
https://c.org/,C,too many
https://d.org/,D`
    const report = await importCsv(engine, chunks(csv))
    expect(report).toMatchObject({ read: 4, added: 2, failed: 2 })
    expect(report.errors.map(({ where }) => where).sort()).toEqual(['line 4', 'line 5'])
    expect(report.errors.map(({ message }) => message)).toContain(
      'the row has another number of values than the first row',
    )
  })

  it('reports a quotation mark that is not closed', async () => {
    const report = await importCsv(engine, chunks('url,text\nhttps://a.org/,A\nhttps://b.org/,"B\n'))
    expect(report).toMatchObject({ added: 1, failed: 1 })
    expect(report.errors).toMatchObject([
      { where: expect.stringMatching(/^(?:after )?line [23]$/), message: 'a quotation mark is not closed' },
    ])
  })

  it('rejects a delimiter that is not one character', async () => {
    await expect(importCsv(engine, chunks(''), { delimiter: '||' })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
    })
  })
})
