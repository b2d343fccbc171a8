import { describe, expect, it } from 'vitest'
import { importCsv } from '../../../crawler/files/import-csv.ts'
import { chunks, engine, useEmptyIndex } from './import-engine.ts'

useEmptyIndex()

/** Encodes a text. @param width - maximum number of bytes of a character in an encoding that Node only decodes. */
function encoded(text: string, encoding: string, width: number): Buffer {
  if (width === 0) {
    const utf16 = Buffer.from(text, 'utf16le')
    return encoding === 'utf-8' ? Buffer.from(text) : encoding === 'utf-16be' ? utf16.swap16() : utf16
  }
  const decoder = new TextDecoder(encoding, { fatal: true })
  const bytesOf = new Map<string, number[]>()
  const add = (bytes: number[]) => {
    try {
      const char = decoder.decode(Uint8Array.from(bytes))
      if (!bytesOf.has(char)) bytesOf.set(char, bytes)
    } catch {
      // These bytes are no character.
    }
  }
  for (let first = 0; first < 256; first++) add([first])
  if (width === 2)
    for (let first = 0x81; first < 255; first++) for (let second = 0x40; second < 255; second++) add([first, second])
  return Buffer.from(Array.from(text, char => bytesOf.get(char) ?? []).flat())
}

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

  it.each([
    ['windows-1252', 'Größe, Käse und Öl – „süß“', 1],
    ['windows-1251', 'Москва и область, погода на сегодня', 1],
    ['shift_jis', '東京の天気、今日は晴れのち曇りです', 2],
    ['gb18030', '北京今天的天气很好，我们去公园', 2],
    ['euc-kr', '서울의 오늘 날씨는 맑습니다', 2],
    ['utf-16le', 'Größe ☃ Москва', 0],
    ['utf-16be', 'Größe ☃ Москва', 0],
    ['utf-8', 'Größe ☃ Москва \ufffd', 0],
  ])('reads %s, also where only later rows are not ASCII', async (encoding, words, width) => {
    const rows = [1, 2].map(n => `https://a.org/${n},${'Plain words of a long row. '.repeat(2000)}`)
    for (const [plain, start, step] of [
      [[], '', 3],
      [rows, '', 10_000],
      [[], '\ufeff', 1],
    ] as const) {
      const url = `https://a.org/${plain.length}/${start.length}`
      const csv = [`${start}url,text`, ...plain, `${url},"${words}"`].join('\n')
      const report = await importCsv(engine, chunks(encoded(csv, encoding, width), step))
      expect(report).toMatchObject({ failed: 0, added: plain.length + 1 })
      expect((await engine.page(url))?.markdown).toBe(words)
    }
  })
  it('reports bytes that are no text by line and column, and never replaces them', async () => {
    const csv = Buffer.concat([
      Buffer.from('url,title,text\nhttps://a.org/1,Grüße,"Käse\nund \ufffd"\nhttps://a.org/2,Öl,'),
      Buffer.of(0xff, 0xc3),
      Buffer.from('\nhttps://a.org/3,Müll,Ähre\n'),
    ])
    const report = await importCsv(engine, chunks(csv))
    expect(report).toMatchObject({ read: 3, added: 2, failed: 1 })
    expect(report.failures).toMatchObject([
      { where: 'line 4', message: 'the column text has bytes that are not utf-8' },
    ])
    const header = Buffer.concat([
      Buffer.from('url,text,größe,käse,müll,'),
      Buffer.of(0xff),
      Buffer.from('\nx,y,z,a,b,c\n'),
    ])
    const refused = await importCsv(engine, chunks(header))
    expect(refused).toMatchObject({ added: 0, failed: 1 })
    expect(refused.failures[0]?.message).toMatch(/line 1 has bytes that are not utf-8 in the name of a column/)
  })
  it('takes the delimiter that a first line declares', async () => {
    const report = await importCsv(engine, chunks('\ufeffsep=;\r\nurl;text\r\nhttps://a.org/;a,b,c\r\nx;y;z\r\n'))
    expect(report).toMatchObject({ added: 1, failed: 1, failures: [{ where: 'line 4' }] })
  })
  it('reads instants as ISO 8601, seconds and milliseconds, and reports numbers that may mean either', async () => {
    const instants = ['2023-11-14T22:13:20Z', '1700000000000', '1700000000', '1700000000.5', '1700000000000.0']
    const wrong = ['20231114', '1700000000000000', '45244.93', '20231114221320']
    const rows = [...instants, ...wrong].map((at, n) => `https://a.org/${n},Words,${at},${at}`)
    const report = await importCsv(engine, chunks(['url,text,acquired_at,fields.at:instant', ...rows].join('\n')))
    expect(report).toMatchObject({ added: 5, failed: 4 })
    for (const [n] of instants.entries()) {
      const page = await engine.page(`https://a.org/${n}`)
      expect(page?.acquiredAt).toBe(1700000000000 + (n === 3 ? 500 : 0))
      expect(page?.fields?.at).toEqual(new Date(page?.acquiredAt ?? 0))
    }
  })
  it('reads the columns fields.NAME and fields.NAME:TYPE as fields, and leaves out empty values', async () => {
    const csv = `url,text,fields.price:number,fields.sku,fields.sold:boolean,fields.day:instant
https://a.org/,A,19.90,0017,true,2025-05-01
https://b.org/,B,,,,
https://c.org/,C,cheap,,,`
    const report = await importCsv(engine, chunks(csv))
    expect(report).toMatchObject({ added: 2, failed: 1 })
    expect(report.failures).toMatchObject([
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
    expect(report.failures.map(({ where }) => where).sort()).toEqual(['line 4', 'line 5'])
    expect(report.failures.map(({ message }) => message)).toContain(
      'the row has another number of values than the first row',
    )
  })

  it.each(['\n', '\r\n'])('counts blank lines, wrong rows and lines in values that end with %j', async end => {
    const csv = ['url,text', '', '', 'nowhere', 'https://a.org/,"A', '', 'B"', '', 'nowhere,', 'x'].join(end)
    for (const size of [10_000, 1]) {
      const { failures } = await importCsv(engine, chunks(csv, size))
      expect(failures.map(({ where }) => where)).toEqual(['line 4', 'line 9', 'line 10'])
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
      expect(report).toMatchObject({ read: 3, failed: 1, failures: [{ where: 'line 4' }] })
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
      expect(report.failures).toMatchObject([
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
    expect(report.failures).toMatchObject([
      { where: 'after line 2', message: `the row in line 4 ${why}; the import ends there` },
    ])
  })

  it('reads no further in a row that never ends', async () => {
    let read = 0
    async function* commas() {
      for (; read < 1_000; read++) yield Buffer.alloc(10_000, ',')
    }
    const report = await importCsv(engine, commas())
    expect(report.failures).toMatchObject([{ message: expect.stringContaining('line 1 has more than 16384 values') }])
    expect(read).toBeLessThan(10)
  })

  it('rejects a delimiter that is not one character', async () => {
    await expect(importCsv(engine, chunks(''), { delimiter: '||' })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
    })
  })
})
