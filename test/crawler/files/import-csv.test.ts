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

  it.each(['\n', '\r\n'])('counts blank lines, wrong rows and lines in values that end with %j', async end => {
    const csv = ['url,text', '', '', 'nowhere', 'https://a.org/,"A', '', 'B"', '', 'nowhere,', 'x'].join(end)
    for (const size of [10_000, 1]) {
      const { errors } = await importCsv(engine, chunks(csv, size))
      expect(errors.map(({ where }) => where)).toEqual(['line 4', 'line 9', 'line 10'])
    }
  })

  it('keeps quotation marks in the wrong place as text', async () => {
    const csv = 'url,text\nhttps://a.org/,"A"x\nhttps://b.org/,B 5" "wide"\nhttps://c.org/,C'
    expect(await importCsv(engine, chunks(csv))).toMatchObject({ added: 3, failed: 0 })
    expect(await engine.page('https://a.org/')).toMatchObject({ markdown: expect.stringContaining('"A"x') })
    expect(await engine.page('https://b.org/')).toMatchObject({ markdown: expect.stringContaining('5" "wide"') })
  })

  it('reads rows that end with CR LF after a first row that ends with LF', async () => {
    const csv = 'url,text\n"https://a.org/","A"\r\n\r\nnowhere\r\n"https://b.org/","B"'
    for (const size of [10_000, 10]) {
      const report = await importCsv(engine, chunks(csv, size))
      expect(report).toMatchObject({ read: 3, failed: 1, errors: [{ where: 'line 4' }] })
    }
    expect((await engine.page('https://a.org/'))?.markdown.trim()).toBe('A')
  })

  it('takes bounded time for a row of quotation marks', async () => {
    const began = process.cpuUsage()
    await importCsv(engine, chunks(`url,text\nhttps://a.org/,${'a"'.repeat(50_000)}`, 100_000))
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(20_000)
  })

  it('reports a quotation mark that is not closed, and imports the rows before it', async () => {
    const csv = 'url,text\nhttps://a.org/,A\n\nhttps://b.org/,"B\n'
    for (const size of [7, 1_000]) {
      const report = await importCsv(engine, chunks(csv, size))
      expect(report).toMatchObject({ read: 1, failed: 1 })
      expect(report.errors).toMatchObject([
        {
          where: 'after line 2',
          message: 'the row in line 4 has a quotation mark that is not closed; the import ends there',
        },
      ])
    }
  })

  it.each([
    ['is longer than 33554432 bytes', 'x'.repeat(32 * 1024 * 1024 + 2)],
    ['has more than 16384 values', ','.repeat(16_384)],
  ])('ends at a row that %s, and imports the rows before it', async (why, row) => {
    const csv = `url,text\nhttps://a.org/,A\n\n${row}\nhttps://b.org/,B\n`
    const report = await importCsv(engine, chunks(csv, 40 * 1024 * 1024))
    expect(report).toMatchObject({ added: 1, failed: 1 })
    expect(report.errors).toMatchObject([
      { where: 'after line 2', message: `the row in line 4 ${why}; the import ends there` },
    ])
  })

  it('reads no further in a row that never ends', async () => {
    let read = 0
    async function* commas() {
      for (; read < 1_000; read++) yield Buffer.alloc(10_000, ',')
    }
    const report = await importCsv(engine, commas())
    expect(report.errors).toMatchObject([{ message: expect.stringContaining('line 1 has more than 16384 values') }])
    expect(read).toBeLessThan(10)
  })

  it('rejects a delimiter that is not one character', async () => {
    await expect(importCsv(engine, chunks(''), { delimiter: '||' })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
    })
  })
})
