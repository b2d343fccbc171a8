import { describe, expect, it } from 'vitest'
import { placeFields, shownText } from '../../../extract/documents/pdf-fields.ts'
import type { PdfRun } from '../../../extract/documents/pdf-right-to-left.ts'
import { extractBody } from '../../../extract/extract-body.ts'
import { pdfForm } from './made-files.ts'

const read = (bytes: Uint8Array) => extractBody(bytes, { url: 'https://a.example/x.pdf' })
const label = (text: string, y: number, x = 72) => ({ text, size: 11, x, y })

describe('the form of a PDF', () => {
  it('has the values of its fields behind their labels', async () => {
    const page = await read(
      pdfForm(
        [label('Name:', 700), label('Town:', 600), label('End of the form', 500)],
        [
          { rect: '200 596 400 612', entries: '/FT /Tx /V (Port Vale)' },
          { rect: '200 696 400 712', entries: '/FT /Tx /V (Ana Roe)' },
        ],
      ),
    )
    expect(page.markdown).toBe('Name: Ana Roe Town: Port Vale End of the form')
  })
  it('has the shown texts of choices, all lines of a text, and no passwords', async () => {
    const page = await read(
      pdfForm(
        [label('Ship', 700), label('Remarks', 650)],
        [
          { rect: '200 696 400 712', entries: '/FT /Ch /Ff 131072 /Opt [[(a) (Barge)] [(b) (Ferry)]] /V (b)' },
          { rect: '72 560 400 640', entries: '/FT /Tx /Ff 4096 /V (First line\\nSecond line)' },
          { rect: '200 400 400 412', entries: '/FT /Tx /Ff 8192 /V (secret)' },
        ],
      ),
    )
    expect(page.markdown).toMatch(/^Ship Ferry\s+Remarks\s+First line\s+Second line$/)
  })
  it('is read if its page has no text but the fields', async () => {
    const page = await read(pdfForm([], [{ rect: '72 696 400 712', entries: '/FT /Tx /V (Only a value)' }]))
    expect(page).toMatchObject({ markdown: 'Only a value' })
    expect(page.warnings).toBeUndefined()
  })
})

it('has a warning for the filled fields beyond a thousand on a page', async () => {
  const fields = Array.from({ length: 1_004 }, (_, i) => ({
    rect: `${72 + (i % 10) * 40} ${700 - Math.floor(i / 10) * 6} ${100 + (i % 10) * 40} ${705 - Math.floor(i / 10) * 6}`,
    entries: i === 0 ? '/FT /Tx' : `/FT /Tx /V (v${i})`,
  }))
  const page = await read(pdfForm([], fields))
  expect(page.warnings).toEqual([{ code: 'parts-unread', message: 'not read: 3 form fields' }])
  expect(page.markdown).toContain('v1000')
})

describe('a form in XFA', () => {
  const xfa = (body: string) =>
    `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form1" layout="tb"><pageSet><pageArea><contentArea w="500pt" h="700pt"/><medium stock="a4" short="595pt" long="842pt"/></pageArea></pageSet>${body}</subform></template></xdp:xdp>`
  const wait = [label('Please wait...', 700)]

  it('is read instead of the page that asks for another reader', async () => {
    const body =
      '<draw w="200pt" h="20pt"><value><text>Application for a berth</text></value></draw><field name="town" w="200pt" h="20pt"><ui><textEdit/></ui><caption><value><text>Town</text></value></caption><value><text>Port Vale</text></value></field>'
    const page = await read(pdfForm(wait, [], xfa(body)))
    expect(page.markdown).toBe('Application for a berth\n\nTown\n\nPort Vale')
    expect(page.warnings).toBeUndefined()
  })
  it('has a warning if it cannot be read', async () => {
    const page = await read(pdfForm(wait, [], '<xdp:xdp'))
    expect(page.markdown).toContain('Please wait')
    expect(page.warnings).toEqual([{ code: 'parts-unread', message: 'not read: 1 form in XFA' }])
  })
})

describe('shownText', () => {
  it('shows a box as ticked if it has the value of the field', () => {
    const box = { subtype: 'Widget', fieldType: 'Btn', checkBox: true, exportValue: 'Yes' }
    expect(shownText({ ...box, fieldValue: 'Yes' })).toBe('☒')
    expect(shownText({ ...box, fieldValue: 'Off' })).toBe('☐')
    expect(shownText({ ...box, fieldValue: 'Yes', hidden: true })).toBe('')
  })
  it('shows text that was typed onto the page', () => {
    expect(shownText({ subtype: 'FreeText', contentsObj: { str: 'Seen' } })).toBe('Seen')
    expect(shownText({ subtype: 'Text', contentsObj: { str: 'A note' } })).toBe('')
  })
})

describe('placeFields', () => {
  const run = (str: string, x: number, y: number, hasEOL = true): PdfRun => ({
    str,
    dir: 'ltr',
    width: 50,
    height: 10,
    transform: [10, 0, 0, 10, x, y],
    hasEOL,
  })
  it('puts a box before the text at its right', () => {
    const runs = [run('Checked', 100, 500)]
    placeFields(runs, [
      {
        subtype: 'Widget',
        fieldType: 'Btn',
        checkBox: true,
        exportValue: 'a',
        fieldValue: 'a',
        rect: [80, 498, 90, 510],
      },
    ])
    expect(runs.map(({ str }) => str)).toEqual([' ☒ ', 'Checked'])
  })
})
