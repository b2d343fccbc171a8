import { describe, expect, it } from 'vitest'
import { chunkMark, rewriteDocx } from '../../../extract/documents/docx-markup.ts'
import { extractBody } from '../../../extract/extract-body.ts'
import { archiveOf, docxOf } from './made-files.ts'

const read = async (body: string, files: Record<string, string> = {}, relations: Record<string, string> = {}) =>
  await extractBody(docxOf(body, files, relations), { url: 'https://a.example/x' })
const r = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const p = (content: string) => `<w:p>${content}</w:p>`
const cell = (content: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${p(content)}</w:tc>`
const equation = (text: string) => `<m:oMath><m:r><m:t>${text}</m:t></m:r></m:oMath>`
const box = (text: string) => `<w:txbxContent>${p(r(text))}</w:txbxContent>`

describe('a Word document', () => {
  it('keeps the base of ruby, and its reading', async () => {
    const ruby = `<w:r><w:ruby><w:rt>${r('とうきょう')}</w:rt><w:rubyBase>${r('東京')}</w:rubyBase></w:ruby></w:r>`
    const { markdown } = await read(p(`${ruby}${r('は大きい')}`))
    for (const text of ['東京', 'とうきょう', 'は大きい']) expect(markdown).toContain(text)
    expect(rewriteDocx(ruby).xml).toMatch(/AsofRuby.*東京.*AsofReading.*とうきょう/s)
  })
  it('leaves out hidden text', async () => {
    const hidden = (text: string, value = '') =>
      `<w:r><w:rPr><w:vanish${value}/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`
    const mark = '<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>'
    const shownNow =
      '<w:r><w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t xml:space="preserve"> again</w:t></w:r>'
    const { markdown } = await read(
      `<w:p>${mark}${r('Seen ')}${hidden('secret ')}${hidden('too', ' w:val="0"')}${shownNow}${r('.')}</w:p>`,
    )
    expect(markdown).toBe('Seen too again.')
  })
  it('keeps equations as TeX, in the line and on lines of their own', async () => {
    const { markdown } = await read(
      p(`${r('Here ')}${equation('F=ma')}${equation('p=mv')}${r(' hold.')}`) +
        p(`<m:oMathPara>${equation('E=hf')}</m:oMathPara>`),
    )
    expect(markdown).toBe('Here $F=ma$ $p=mv$ hold.\n\n$$E=hf$$')
  })
  it.each([
    ['in a field', p(`<w:fldSimple w:instr="DATE">${r('today')}</w:fldSimple>`), 'today'],
    ['with a direction', p(`<w:bdo w:val="rtl">${r('shalom')}</w:bdo>`), 'shalom'],
    ['that was inserted', p(`<w:ins>${r('new')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>`), 'new'],
    ['in a text box', p(`<w:r><w:drawing><wps:txbx>${box('boxed')}</wps:txbx></w:drawing></w:r>`), 'boxed'],
    [
      'in a text box that old programs see too',
      p(
        `<w:r><mc:AlternateContent><mc:Choice><w:drawing>${box('boxed')}</w:drawing></mc:Choice><mc:Fallback><w:pict>${box('boxed')}</w:pict></mc:Fallback></mc:AlternateContent></w:r>`,
      ),
      'boxed',
    ],
    [
      'that only new programs see',
      p(`<w:r><mc:AlternateContent><mc:Choice><w:t>sign</w:t></mc:Choice></mc:AlternateContent></w:r>`),
      'sign',
    ],
  ])('keeps text %s', async (_what, body, text) => {
    expect((await read(body)).markdown).toBe(text)
  })
  it('puts values of rows that begin later under their columns', async () => {
    const grid = '<w:trPr><w:gridBefore w:val="1"/></w:trPr>'
    const { markdown } = await read(
      `<w:tbl><w:tr>${cell(r('a'))}${cell(r('b'))}${cell(r('c'))}</w:tr><w:tr>${grid}${cell(r('2'))}${cell(r('3'))}</w:tr></w:tbl>`,
    )
    expect(markdown).toBe('| a | b | c |\n| --- | --- | --- |\n|  | 2 | 3 |')
  })

  describe('with an embedded document', () => {
    const chunk = '<w:altChunk r:id="c"/>'
    it.each([
      ['HTML', 'a.html', '<html><body><h2>Part</h2><p>of &lt;it&gt;</html>', '## Part\n\nof \\<it>'],
      ['plain text', 'a.txt', 'one\n\ntwo', 'one\n\ntwo'],
      [
        'Rich Text',
        'a.rtf',
        "{\\rtf1\\ansi{\\fonttbl Arial;}{\\b one}\\par \\'fcber \\u8364?5\\par}",
        'one\n\nüber €5',
      ],
      [
        'a web archive',
        'a.mht',
        'MIME-Version: 1.0\nContent-Type: multipart/related;\n boundary="x"\n\n--x\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n<p>caf=C3=A9 =\nopen</p>\n--x--\n',
        'café open',
      ],
    ])('of the format %s reads it in its place', async (_what, name, text, markdown) => {
      const page = await read(`${p(r('before'))}${chunk}${p(r('after'))}`, { [`word/${name}`]: text }, { c: name })
      expect(page.markdown).toBe(`before\n\n${markdown}\n\nafter`)
      expect(page.warnings).toBeUndefined()
    })
    it('in a table reads it after the table', async () => {
      const table = `<w:tbl><w:tr>${cell(r('a'))}${cell(r('b'))}</w:tr><w:tr>${cell(r('1'))}<w:tc>${chunk}</w:tc></w:tr></w:tbl>`
      const page = await read(table, { 'word/a.txt': 'text' }, { c: 'a.txt' })
      expect(page.markdown).toBe('| a | b |\n| --- | --- |\n| 1 |  |\n\ntext')
    })
    it('reads one once, and warns of the others', async () => {
      const page = await read(chunk.repeat(3), { 'word/a.txt': 'text' }, { c: 'a.txt' })
      expect(page).toMatchObject({
        markdown: 'text',
        warnings: [{ code: 'parts-unread', message: 'not read: 2 embedded documents' }],
      })
    })
    it('warns of one in an unknown format, and of one that is missing', async () => {
      const body = `${p(r('text'))}${chunk}<w:altChunk r:id="none"/>`
      const page = await read(body, { 'word/a.bin': '\0\u0001\u0002' }, { c: 'a.bin' })
      expect(page.markdown).toBe('text')
      expect(page.warnings).toEqual([{ code: 'parts-unread', message: 'not read: 2 embedded documents' }])
    })
  })

  it('warns of charts and embedded objects', async () => {
    const page = await read(
      p(`${r('text')}<w:r><w:drawing><c:chart r:id="x"/></w:drawing><w:object><o:OLEObject/></w:object></w:r>`),
    )
    expect(page.warnings).toEqual([
      { code: 'parts-unread', message: 'not read: 1 chart' },
      { code: 'parts-unread', message: 'not read: 1 embedded object' },
    ])
  })
  it('is read if its main part has another name', async () => {
    const relation = '<Relationship Id="a" Type="x/officeDocument" Target="/word/document2.xml"/>'
    const bytes = archiveOf({
      '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document2.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
      '_rels/.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relation.replace('x/', 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/')}</Relationships>`,
      'word/document2.xml': `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${p(r('text'))}</w:body></w:document>`,
    })
    expect((await extractBody(bytes, { url: 'https://a.example/x' })).markdown).toBe('text')
  })
})

describe('rewriteDocx', () => {
  it('leaves a document as it is that is too deep or not well formed', () => {
    for (const source of ['<a>'.repeat(300), '<w:ruby><w:rt>']) expect(rewriteDocx(source).xml).toBe(source)
  })
  it('changes nothing else', () => {
    const source = '<w:p a="1 &amp; 2"><!-- <w:ruby> --><w:r><w:t>x &lt; y</w:t></w:r><w:r/></w:p>'
    expect(rewriteDocx(source)).toEqual({ xml: source, chunks: [], charts: 0, objects: 0 })
  })
  it('marks the place of an embedded document', () => {
    const { xml, chunks } = rewriteDocx('<w:altChunk r:id="c"/><w:altChunk r:id="d"/>')
    expect(chunks).toEqual(['c', 'd'])
    expect(xml.indexOf(chunkMark(0))).toBeLessThan(xml.indexOf(chunkMark(1)))
  })
})
