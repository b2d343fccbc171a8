import { describe, expect, it } from 'vitest'
import { extractBody } from '../../../extract/extract-body.ts'
import { archiveOf, docx, epub, overlapping, type PdfText, pdf, pptx, workbookOf, xlsx } from './made-files.ts'

const url = 'https://a.example/x'
const read = (bytes: Uint8Array, options: { contentType?: string; latestAt?: number } = {}) =>
  extractBody(bytes, { url, ...options })

/** The lines of a paragraph, the first one at height `y`. */
const lines = (texts: readonly string[], size: number, y: number): PdfText[] =>
  texts.map((text, line) => ({ text, size, x: 72, y: y - line * size * 1.2 }))

describe('a PDF', () => {
  const paragraph = (n: number) =>
    lines([`Lamp ${n} burned oil and was trim-`, 'med by hand every evening, with', 'care.'], 11, 660 - 20 * n)
  const page = (n: number, ...more: PdfText[]): PdfText[] => [
    { text: `Harbour Journal ${n}`, size: 9, x: 72, y: 760 },
    ...more,
    ...paragraph(n),
    { text: String(n), size: 9, x: 300, y: 30 },
  ]
  const heading: PdfText = { text: 'A History of #Lamps', size: 24, x: 72, y: 700 }
  const info = "/Title (Microsoft Word - Lamps) /Author (Ann Lee) /CreationDate (D:20240131120000+02'00')"

  it('is read as paragraphs without hyphenation, with a rule between pages, without running titles', async () => {
    const { markdown } = await read(pdf([page(1, heading), page(2), page(3)]))
    const body = (n: number) => `Lamp ${n} burned oil and was trimmed by hand every evening, with care.`
    expect(markdown).toBe(`# A History of #Lamps\n\n${body(1)}\n\n---\n\n${body(2)}\n\n---\n\n${body(3)}`)
  })
  it('has the title, author and date of its properties', async () => {
    expect(await read(pdf([page(1)], info))).toMatchObject({
      title: 'Lamps',
      author: 'Ann Lee',
      publishedAt: '2024-01-31T12:00:00+02:00',
      publishedFrom: { source: 'meta', precision: 'second' },
      lang: 'en',
    })
  })
  it('has no publish date after the latest possible one', async () => {
    const early = await read(pdf([page(1)], info), { latestAt: Date.UTC(2024, 0, 29) })
    expect(early.publishedAt).toBeUndefined()
  })
  it('has its first heading as title if its properties have none or the name of a file', async () => {
    expect((await read(pdf([page(1, heading)], '/Title (lamps_final.indd) /Author (admin)'))).title).toBe(
      'A History of #Lamps',
    )
  })
  it('is recognized by its first bytes if the Content-Type is unspecific', async () => {
    const options = { contentType: 'application/octet-stream' }
    expect((await read(pdf([page(1)]), options)).markdown).toContain('Lamp 1')
  })
  it('has a warning of pages without text', async () => {
    const page = await read(pdf([lines(['text'], 11, 600), [], []]))
    expect(page.markdown).toBe('text')
    expect(page.warnings).toEqual([
      { code: 'pages-without-text', message: 'without text, such as scans: 2 of 3 pages' },
    ])
    expect((await read(pdf([lines(['text'], 11, 600)]))).warnings).toBeUndefined()
  })
  it('is escaped', async () => {
    const texts = lines(['---', '[x](y)', '<b>'], 11, 600)
    expect((await read(pdf([texts]))).markdown).toBe('\\--- \\[x\\](y) \\<b>')
  })
  it.each([
    ['cut short', pdf([page(1)]).subarray(0, 60)],
    ['with nothing but its signature', Buffer.from('%PDF-1.7\n')],
    ['with random bytes', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(5000, 0xa7)])],
  ])('throws ASOF_EXTRACT_FAILED if it is damaged: %s', async (_what, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: 'ASOF_EXTRACT_FAILED' })
  })
})

describe('an Office document', () => {
  it('of Word keeps headings, links, lists and tables', async () => {
    expect(await read(docx())).toMatchObject({
      title: 'The tides',
      author: 'Ann Lee',
      publishedAt: '2024-03-05T10:00:00Z',
      links: [{ url: 'https://b.example/', text: 'the almanac' }],
      markdown:
        '# Tide tables\n\nWater rises & falls, says [the almanac](https://b.example/).\n\n- high\n- low\n\n' +
        '| Day | Metres |\n| --- | --- |\n| Monday | 2.5 |',
    })
  })
  it('of Excel becomes a table for each visible sheet, with dates in ISO 8601', async () => {
    const page = await read(xlsx())
    expect(page.markdown).toBe(
      [
        '## Ports',
        '',
        '| Port | Depth \\| m |  | Since |',
        '| --- | --- | --- | --- |',
        '| Hamburg | 16.7 |  | 2024-03-05 |',
        '| 東京 | TRUE |  | 2024-03-05 12:00:00 |',
      ].join('\n'),
    )
    expect(page.author).toBeUndefined()
  })
  it('of PowerPoint becomes its slides in order, with points, notes, links and tables', async () => {
    expect(await read(pptx())).toMatchObject({
      title: 'Dredging',
      author: 'Bo Ray, Ann Lee',
      markdown: expect.stringMatching(
        /^## Dredging\n\n- Why\n {2}- ships\n- \[How\]\(https:\/\/b\.example\/how\)\n[>\s]*> Speak slowly\.\n\n---\n\n\| Port \| Metres \|\n\| --- \| --- \|\n\| Hull \| 9 \|$/,
      ),
    })
  })
})

describe('an EPUB', () => {
  it('becomes its chapters in reading order, with links to the web', async () => {
    expect(await read(epub())).toMatchObject({
      title: 'Storm lamps',
      author: 'Ann Lee, Bo Ray',
      publishedAt: '2021-04-01',
      publishedFrom: { source: 'meta', precision: 'month' },
      lang: 'en-GB',
      markdown: '# Oil\n\nOf wicks and [whales](https://b.example/).\n\n---\n\n# Gas\n\nIt hisses.',
    })
  })
  it('throws ASOF_EXTRACT_FAILED without a package document', async () => {
    const bytes = archiveOf({ mimetype: 'application/epub+zip', 'META-INF/container.xml': '<container/>' })
    await expect(read(bytes)).rejects.toMatchObject({ code: 'ASOF_EXTRACT_FAILED' })
  })
})

describe('an archive', () => {
  it('throws ASOF_UNSUPPORTED_TYPE if it is not a document', async () => {
    const contentType = 'application/epub+zip'
    await expect(read(archiveOf({ 'a.txt': 'x' }), { contentType })).rejects.toMatchObject({
      code: 'ASOF_UNSUPPORTED_TYPE',
    })
    await expect(read(archiveOf({ 'a.txt': 'x' }))).rejects.toMatchObject({ code: 'ASOF_UNSUPPORTED_TYPE' })
  })
  it('throws ASOF_EXTRACT_FAILED if it is damaged', async () => {
    const damaged = Buffer.from(docx())
    damaged.fill(0xff, damaged.indexOf('word/document.xml') + 40, damaged.indexOf('word/document.xml') + 120)
    for (const bytes of [docx().subarray(0, 400), damaged])
      await expect(read(bytes)).rejects.toMatchObject({ code: 'ASOF_EXTRACT_FAILED' })
  })
  it('is rejected before unpacking if its declared size exceeds the limit', async () => {
    const bomb = Buffer.from(xlsx())
    // The declared size is at byte 24 of a directory entry, and the name at byte 46.
    bomb.writeUInt32LE(65 * 1024 * 1024, bomb.lastIndexOf('xl/sharedStrings.xml') - 46 + 24)
    await expect(read(bomb)).rejects.toMatchObject({ code: 'ASOF_EXTRACT_TOO_LARGE' })
  })
  it('is rejected if it contains two files with the same name', async () => {
    const part = 'xl/styles.xml'
    const other = 'x'.repeat(part.length)
    const bytes = Buffer.from(archiveOf({ ...workbookOf(1), [part]: 'a', [other]: 'b' }))
    for (let at = bytes.indexOf(other); at >= 0; at = bytes.indexOf(other)) bytes.write(part, at)
    await expect(read(bytes)).rejects.toMatchObject({
      code: 'ASOF_EXTRACT_FAILED',
      message: expect.stringContaining('two files with the same name'),
    })
  })
  it('is rejected if entries that share their bytes exceed the limit together', async () => {
    const text = ' '.repeat(8 * 1024 * 1024)
    const first = 'xl/worksheets/sheet1.xml'
    const others = Array.from({ length: 39 }, (_, i) => `xl/worksheets/sheet${i + 2}.xml`)
    const bytes = overlapping(
      {
        ...workbookOf(40),
        [first]: text,
        ...Object.fromEntries(others.map(name => [name, ''])),
      },
      [first, ...others],
    )
    expect(bytes.length).toBeLessThan(9 * 1024 * 1024)
    await expect(read(bytes)).rejects.toMatchObject({ code: 'ASOF_EXTRACT_TOO_LARGE' })
  })
  it('is cut at the declared size of a file that is larger', async () => {
    const liar = Buffer.from(xlsx())
    liar.writeUInt32LE(40, liar.lastIndexOf('xl/sharedStrings.xml') - 46 + 24)
    expect((await read(liar)).markdown).toContain('2024-03-05')
  })
})
