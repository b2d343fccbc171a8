import { strToU8, zipSync } from 'fflate'

/** A ZIP archive of text files, by name. */
export function archiveOf(files: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))
}

/**
 * The parts of an Excel workbook except for its sheets, whose names are `xl/worksheets/sheet1.xml` and so on.
 */
export function workbookOf(sheets: number): Record<string, string> {
  const numbers = Array.from({ length: sheets }, (_, i) => i + 1)
  return {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook><sheets>${numbers.map(n => `<sheet name="S${n}" r:id="r${n}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships(
      Object.fromEntries(numbers.map(n => [`r${n}`, ['worksheet', `worksheets/sheet${n}.xml`]])),
    ),
  }
}

/**
 * An archive of uncompressed files in which the directory entries of `names` all refer to the bytes of the first of them,
 * and declare an unpacked size of 0.
 */
export function overlapping(
  files: Readonly<Record<string, string>>,
  names: readonly [string, ...string[]],
): Uint8Array {
  const bytes = Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), { level: 0 }),
  )
  // In a directory entry the name starts after 46 bytes (APPNOTE.TXT 4.3.12).
  const entryOf = (name: string): number => bytes.lastIndexOf(name) - 46
  const first = entryOf(names[0])
  const [packedBytes, offset] = [bytes.readUInt32LE(first + 20), bytes.readUInt32LE(first + 42)]
  for (const name of names) {
    bytes.writeUInt32LE(packedBytes, entryOf(name) + 20)
    bytes.writeUInt32LE(0, entryOf(name) + 24)
    bytes.writeUInt32LE(offset, entryOf(name) + 42)
  }
  return bytes
}

const properties = (title: string, author: string) =>
  `<cp:coreProperties xmlns:dc="x" xmlns:dcterms="y"><dc:title>${title}</dc:title><dc:creator>${author}</dc:creator>
  <dcterms:created>2024-03-05T10:00:00Z</dcterms:created></cp:coreProperties>`

const relationships = (targets: Readonly<Record<string, [kind: string, target: string, mode?: string]>>) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.entries(targets)
    .map(
      ([id, [kind, target, mode]]) =>
        `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ''}/>`,
    )
    .join('')}</Relationships>`

/** The relationships of a part to two others of the same kind. */
const twoOf = (kind: string, a: string, b: string) => relationships({ a: [kind, a], b: [kind, b] })

/** A Word document with a body, other files, and relationships of the body to documents that are embedded as text. */
export function docxOf(
  body: string,
  files: Readonly<Record<string, string>> = {},
  chunks: Readonly<Record<string, string>> = {},
): Uint8Array {
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006'
  const prefixes = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${office}/relationships" xmlns:m="${office}/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="s" xmlns:c="c" xmlns:o="o"`
  return archiveOf({
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': relationships({ a: ['officeDocument', 'word/document.xml'] }),
    'word/_rels/document.xml.rels': relationships(
      Object.fromEntries(Object.entries(chunks).map(([id, target]) => [id, ['aFChunk', target]])),
    ),
    'word/document.xml': `<w:document ${prefixes}><w:body>${body}</w:body></w:document>`,
    ...files,
  })
}

/** A Word document with a heading, a paragraph with a link, a list and a table. */
export function docx(): Uint8Array {
  const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
  const r = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
  const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`
  const cell = (text: string) => `<w:tc><w:p>${run(text)}</w:p></w:tc>`
  const item = (text: string) =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>${run(text)}</w:p>`
  return archiveOf({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': relationships({ a: ['officeDocument', 'word/document.xml'] }),
    'word/_rels/document.xml.rels': relationships({ l: ['hyperlink', 'https://b.example/', 'External'] }),
    'word/styles.xml': `<w:styles ${w}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/numbering.xml': `<w:numbering ${w}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    'word/document.xml': `<w:document ${w} ${r}><w:body>
      <w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run('Tide tables')}</w:p>
      <w:p>${run('Water rises &amp; falls, says ')}<w:hyperlink r:id="l">${run('the almanac')}</w:hyperlink>${run('.')}</w:p>
      ${item('high')}${item('low')}
      <w:tbl><w:tr>${cell('Day')}${cell('Metres')}</w:tr><w:tr>${cell('Monday')}${cell('2.5')}</w:tr></w:tbl>
    </w:body></w:document>`,
    'docProps/core.xml': properties('The tides', 'Ann Lee'),
  })
}

/** A workbook with a visible sheet (texts, numbers, dates, an empty row and an empty column) and a hidden one. */
export function xlsx(): Uint8Array {
  return archiveOf({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Ports" r:id="a"/><sheet name="Secret" state="hidden" r:id="b"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': twoOf('worksheet', 'worksheets/sheet1.xml', '/xl/worksheets/sheet2.xml'),
    'xl/sharedStrings.xml':
      '<sst><si><t>Port</t></si><si><r><t>Ham</t></r><r><t>burg</t></r></si><si><t>東京</t><rPh><t>とうきょう</t></rPh></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="22"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>
      <row r="1"><c r="B1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Depth | m</t></is></c><c r="E1" t="str"><v>Since</v></c></row>
      <row r="2"/>
      <row r="3"><c r="B3" t="s"><v>1</v></c><c r="C3"><v>16.700000000000003</v></c><c r="E3" s="1"><v>45356</v></c></row>
      <row r="4"><c r="B4" t="s"><v>2</v></c><c r="C4" t="b"><v>1</v></c><c r="E4" s="2"><v>45356.5</v></c></row>
    </sheetData></worksheet>`,
    'xl/worksheets/sheet2.xml': '<worksheet><sheetData><row><c t="str"><v>hidden</v></c></row></sheetData></worksheet>',
    'docProps/core.xml': properties('', 'openpyxl'),
  })
}

/** A presentation of two slides whose order is not that of their file names: a title with nested points and notes, a table. */
export function pptx(): Uint8Array {
  const shape = (type: string | undefined, paragraphs: string) =>
    `<p:sp><p:nvSpPr><p:nvPr>${type === undefined ? '' : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs}</p:txBody></p:sp>`
  const paragraph = (text: string, level = 0, link = '') =>
    `<a:p><a:pPr lvl="${level}"/><a:r><a:rPr>${link}</a:rPr><a:t>${text}</a:t></a:r></a:p>`
  const cell = (text: string) => `<a:tc><a:txBody>${paragraph(text)}</a:txBody></a:tc>`
  return archiveOf({
    '[Content_Types].xml': '<Types/>',
    'ppt/presentation.xml':
      '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="b"/><p:sldId id="257" r:id="a"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': twoOf('slide', 'slides/slide1.xml', 'slides/slide2.xml'),
    'ppt/slides/slide2.xml': `<p:sld>${shape('ctrTitle', paragraph('Dredging'))}${shape(
      'body',
      paragraph('Why') + paragraph('ships', 1) + paragraph('How', 0, '<a:hlinkClick r:id="l"/>'),
    )}${shape('sldNum', paragraph('1'))}</p:sld>`,
    'ppt/slides/_rels/slide2.xml.rels': relationships({
      n: ['notesSlide', '../notesSlides/notes1.xml'],
      l: ['hyperlink', 'https://b.example/how', 'External'],
    }),
    'ppt/notesSlides/notes1.xml': `<p:notes>${shape('sldImg', '')}${shape('body', paragraph('Speak slowly.'))}</p:notes>`,
    'ppt/slides/slide1.xml': `<p:sld><a:tbl><a:tr>${cell('Port')}${cell('Metres')}</a:tr><a:tr>${cell('Hull')}${cell('9')}</a:tr></a:tbl></p:sld>`,
    'docProps/core.xml': properties('PowerPoint Presentation', 'Bo Ray;Ann Lee'),
  })
}

/** An EPUB with two chapters and a page that is not in the reading order. */
export function epub(): Uint8Array {
  const chapter = (body: string) =>
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>${body}</body></html>`
  const files = archiveOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OEBPS/book.opf': `<package><metadata xmlns:dc="x"><dc:title>Storm lamps</dc:title><dc:creator>Ann Lee</dc:creator>
      <dc:creator>Bo Ray</dc:creator><dc:date>2021-04</dc:date><dc:language>en-GB</dc:language></metadata>
      <manifest><item id="two" href="text/two.xhtml" media-type="application/xhtml+xml"/>
      <item id="one" href="text/chapter%20one.xhtml" media-type="application/xhtml+xml"/>
      <item id="extra" href="text/extra.xhtml" media-type="application/xhtml+xml"/></manifest>
      <spine><itemref idref="one"/><itemref idref="two"/></spine></package>`,
    'OEBPS/text/chapter one.xhtml': chapter(
      '<h1>Oil</h1><p>Of <a href="two.xhtml#x">wicks</a> and <a href="https://b.example/">whales</a>.</p>',
    ),
    'OEBPS/text/two.xhtml': chapter('<h1>Gas</h1><p>It hisses.</p>'),
    'OEBPS/text/extra.xhtml': chapter('<p>never read</p>'),
  })
  return files
}

export interface PdfText {
  text: string
  size: number
  x: number
  y: number
}

/** A PDF with pages of text in Helvetica and with properties. */
export function pdf(pages: readonly (readonly PdfText[])[], info = ''): Uint8Array {
  const objects: string[] = []
  const add = (body: string) => objects.push(body)
  const kids = pages.map((_, page) => `${4 + page * 2} 0 R`)
  add('<< /Type /Catalog /Pages 2 0 R /Lang (en) >>')
  add(`<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages.length} >>`)
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>')
  for (const texts of pages) {
    const stream = texts
      .map(({ text, size, x, y }) => `BT /F1 ${size} Tf ${x} ${y} Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`)
      .join('\n')
    const content = objects.length + 2
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${content} 0 R >>`,
    )
    add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`)
  }
  add(`<< ${info} >>`)
  return fileOf(objects)
}

/** A PDF of one page with texts and fields; `values` are the entries of each field, such as `/FT /Tx /V (x)`. */
export function pdfForm(
  texts: readonly PdfText[],
  values: readonly { rect: string; entries: string }[],
  xfa?: string,
): Uint8Array {
  const stream = texts.map(({ text, size, x, y }) => `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET`).join('\n')
  const kids = values.map((_, field) => `${7 + field} 0 R`).join(' ')
  const form = `/DR << /Font << /F1 3 0 R >> >> /Fields [${kids}] ${xfa === undefined ? '' : '/XFA 6 0 R'}`
  return fileOf([
    `<< /Type /Catalog /Pages 2 0 R ${xfa === undefined ? '' : '/NeedsRendering true'} /AcroForm << ${form} >> >>`,
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R /Annots [${kids}] >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    `<< /Length ${xfa?.length ?? 0} >>\nstream\n${xfa ?? ''}\nendstream`,
    ...values.map(
      ({ rect, entries }, field) =>
        `<< /Type /Annot /Subtype /Widget /F 4 /T (f${field}) /Rect [${rect}] /DA (/F1 11 Tf) ${entries} >>`,
    ),
    '<< >>',
  ])
}

/** A PDF file of objects, of which the first is the catalog and the last has the properties. */
function fileOf(objects: readonly string[]): Uint8Array {
  let file = '%PDF-1.7\n'
  const offsets = objects.map((body, at) => {
    const offset = file.length
    file += `${at + 1} 0 obj\n${body}\nendobj\n`
    return offset
  })
  const start = file.length
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
  for (const offset of offsets) file += `${String(offset).padStart(10, '0')} 00000 n \n`
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}
