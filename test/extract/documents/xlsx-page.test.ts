import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { extractBody } from '../../../extract/extract-body.ts'
import { archiveOf, pptx, workbookOf } from './made-files.ts'

const read = async (files: Record<string, string>) =>
  await extractBody(archiveOf(files), { url: 'https://a.example/x' })
const relation = (id: string, kind: string, target: string) =>
  `<Relationship Id="${id}" Type="x/${kind}" Target="${target}"/>`

describe('a sheet', () => {
  const styles =
    '<x:styleSheet><x:numFmts><x:numFmt numFmtId="200" formatCode="[h]:mm"/><x:numFmt numFmtId="201" formatCode="0.0%"/></x:numFmts><x:cellXfs><x:xf numFmtId="0"/><x:xf numFmtId="200"/><x:xf numFmtId="201"/><x:xf numFmtId="9"/><x:xf numFmtId="46"/></x:cellXfs></x:styleSheet>'
  it('shows percent, durations, errors and booleans as the workbook does, also if its elements have a prefix', async () => {
    const cell = (value: string, style: number, type = 'n') => `<x:c s="${style}" t="${type}"><x:v>${value}</x:v></x:c>`
    const page = await read({
      ...workbookOf(1),
      'xl/styles.xml': styles,
      'xl/worksheets/sheet1.xml': `<x:worksheet><x:sheetData><x:row>${cell('0.125', 2)}${cell('0.5', 3)}${cell('1.5', 1)}${cell('0.25', 4)}</x:row><x:row>${cell('#DIV/0!', 0, 'e')}${cell('1', 0, 'b')}${cell('0.1', 0)}</x:row></x:sheetData></x:worksheet>`,
    })
    expect(page.markdown).toBe(
      '## S1\n\n| 12.5% | 50% | 36:00:00 | 6:00:00 |\n| --- | --- | --- | --- |\n| #DIV/0! | TRUE | 0.1 |  |',
    )
  })
  it('has exponents and indices in its strings', async () => {
    const run = (text: string, align = '') =>
      `<r><rPr>${align && `<vertAlign val="${align}"/>`}</rPr><t>${text}</t></r>`
    const page = await read({
      ...workbookOf(1),
      'xl/_rels/workbook.xml.rels': `<Relationships>${relation('r1', 'worksheet', 'worksheets/sheet1.xml')}${relation('s', 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
      'xl/sharedStrings.xml': `<sst><si>${run('10')}${run('6', 'superscript')}${run(' Pa')}</si><si>${run('H')}${run('2', 'subscript')}${run('O')}</si><si><t>25</t></si></sst>`,
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row>${[0, 1, 2].map(n => `<c t="s"><v>${n}</v></c>`).join('')}</row></sheetData></worksheet>`,
    })
    expect(page.markdown).toContain('| 10⁶ Pa | H₂O | 25 |')
  })
  it('warns of formulas without a value and of columns beyond the limit', async () => {
    const cells =
      '<c><v>1</v></c><c><f>1+1</f></c><c><f>1+1</f><v>2</v></c><c t="str"><f>""</f><v></v></c><c r="ZZ1"><v>3</v></c>'
    const page = await read({
      ...workbookOf(1),
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row>${cells}</row></sheetData></worksheet>`,
    })
    expect(page.warnings?.map(({ message }) => message)).toEqual([
      expect.stringContaining('columns are read'),
      'not read: 1 formula without value',
    ])
  })
  it('keeps the words of its text boxes, and warns of charts and embedded objects', async () => {
    const page = await read({
      ...workbookOf(1),
      'xl/worksheets/sheet1.xml': '<worksheet/>',
      'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships>${relation('a', 'drawing', '../drawings/d.xml')}${relation('b', 'oleObject', 'o.bin')}</Relationships>`,
      'xl/drawings/d.xml':
        '<xdr:wsDr><xdr:txBody><a:p><a:r><a:t>in a </a:t></a:r><a:r><a:t>box</a:t></a:r></a:p></xdr:txBody></xdr:wsDr>',
      'xl/drawings/_rels/d.xml.rels': `<Relationships>${relation('a', 'chart', 'c1.xml')}${relation('b', 'chart', 'c2.xml')}</Relationships>`,
    })
    expect(page.markdown).toBe('## S1\n\nin a box')
    expect(page.warnings?.map(({ message }) => message)).toEqual(['not read: 1 embedded object', 'not read: 2 charts'])
  })
})

it('a slide keeps its equations as TeX and the words of its diagrams', async () => {
  const files = unzipSync(pptx())
  const slide = strFromU8(files['ppt/slides/slide1.xml']!)
  const formula =
    '<a:p><a14:m><m:oMath><m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>6</m:t></m:r></m:sup></m:sSup></m:oMath></a14:m></a:p>'
  files['ppt/slides/slide1.xml'] = strToU8(
    slide.replace('<p:sld>', `<p:sld><p:sp><p:txBody>${formula}</p:txBody></p:sp>`),
  )
  files['ppt/slides/_rels/slide1.xml.rels'] = strToU8(
    `<Relationships>${relation('d', 'diagramData', '../diagrams/d.xml')}${relation('c', 'chart', '../c.xml')}</Relationships>`,
  )
  files['ppt/diagrams/d.xml'] = strToU8('<dgm:dataModel><a:p><a:t>Harbour master</a:t></a:p></dgm:dataModel>')
  const page = await extractBody(zipSync(files), { url: 'https://a.example/x' })
  expect(page.markdown).toContain('$10^6$')
  expect(page.markdown).toContain('- Harbour master')
  expect(page.warnings).toEqual([{ code: 'parts-unread', message: 'not read: 1 chart' }])
})

it('a slide has exponents and indices', async () => {
  const files = unzipSync(pptx())
  const slide = strFromU8(files['ppt/slides/slide1.xml']!)
  const run = (text: string, baseline = '') => `<a:r><a:rPr${baseline}/><a:t>${text}</a:t></a:r>`
  const words = `<a:p>${run('10')}${run('6', ' baseline="30000"')}${run(' of H')}${run('2', ' baseline="-25000"')}${run('O')}${run('2', ' baseline="30000"')}<a:fld><a:t>7</a:t></a:fld></a:p>`
  files['ppt/slides/slide1.xml'] = strToU8(
    slide.replace('<p:sld>', `<p:sld><p:sp><p:txBody>${words}</p:txBody></p:sp>`),
  )
  const { markdown } = await extractBody(zipSync(files), { url: 'https://a.example/x' })
  expect(markdown).toContain('10⁶ of H₂O²7')
})
