import { clip } from '../characters/surrogates.ts'
import {
  type ExtractedPage,
  type ExtractOptions,
  type ExtractWarning,
  pageOf,
  unreadParts,
  withWarnings,
} from '../extracted-page.ts'
import { collapse } from '../html/html-tree.ts'
import { localName, readXml } from '../html/xml-reader.ts'
import { escapeInline, escapeLineStart } from '../markdown/markdown-escape.ts'
import { tableLines } from '../markdown/markdown-tables.ts'
import { dublinCore, fieldsFrom } from './document-properties.ts'
import { drawingParagraphs, unreadDrawings } from './drawing-text.ts'
import { relationshipsOf } from './package-parts.ts'
import { joinPages } from './page-parts.ts'
import { scriptText } from './script-text.ts'
import { CellFormats } from './xlsx-formats.ts'
import type { ZipArchive } from './zip-archive.ts'

const MAX_SHEETS = 200
const MAX_CELLS = 500_000
/** Maximum number of columns. Larger tables would be unreadable. */
const MAX_COLUMNS = 100
const MAX_CELL_CHARS = 2000

/**
 * Reads a workbook. Each visible sheet becomes a heading and a table. Leaves out empty rows, and empty columns on the
 * left.
 *
 * @param workbook - the path of the main part in the archive.
 */
export function readXlsx(archive: ZipArchive, workbook: string, { latestAt }: ExtractOptions): ExtractedPage {
  const relations = relationshipsOf(archive, workbook)
  const partOf = (kind: string) =>
    archive.text([...relations.values()].find(relation => relation.kind === kind)?.target ?? '')
  const sheets: { name: string; part: string }[] = []
  let visible = 0
  let epochIs1904 = false
  readXml(archive.text(workbook) ?? '', {
    open: (name, attributes) => {
      const tag = localName(name)
      if (tag === 'workbookpr') epochIs1904 ||= /^(?:1|true)$/.test(attributes.date1904 ?? '')
      const part = tag === 'sheet' ? relations.get(attributes['r:id'] ?? '')?.target : undefined
      if (part === undefined || (attributes.state ?? 'visible') !== 'visible') return
      if (++visible <= MAX_SHEETS) sheets.push({ name: attributes.name ?? '', part })
    },
  })
  const strings = sharedStrings(partOf('sharedstrings') ?? archive.text('xl/sharedStrings.xml') ?? '')
  const formats = new CellFormats(partOf('styles') ?? archive.text('xl/styles.xml') ?? '', epochIs1904)
  let room = MAX_CELLS
  let formulas = 0
  let isTooWide = false
  const warnings: ExtractWarning[] = []
  const pages = sheets.map(({ name, part }) => {
    const reader = new SheetReader(strings, formats, room)
    reader.read(archive.text(part) ?? '')
    room -= reader.cells
    formulas += reader.formulas
    isTooWide ||= reader.isTooWide
    const rows = trimRows(reader.rows)
    const boxes = drawingsOf(archive, part, warnings).map(text => escapeLineStart(escapeInline(text, false)))
    if (rows.length === 0 && boxes.length === 0) return pageOf('')
    const table = rows.length === 0 ? [] : [tableLines(rows).join('\n')]
    return pageOf([`## ${escapeInline(collapse(name), false)}`, ...table, ...boxes].join('\n\n'))
  })
  if (room <= 0) warnings.push({ code: 'cut', message: `only the first ${MAX_CELLS} cells are read` })
  if (visible > MAX_SHEETS) warnings.push({ code: 'cut', message: `only the first ${MAX_SHEETS} sheets are read` })
  if (isTooWide) warnings.push({ code: 'cut', message: `only the first ${MAX_COLUMNS} columns are read` })
  warnings.push(...unreadParts(formulas, 'formula without value'))
  const page = withWarnings(joinPages(pages), warnings)
  const properties = dublinCore(archive.text('docProps/core.xml') ?? '')
  return { ...page, ...fieldsFrom(properties, page.markdown, latestAt) }
}

/** Returns the paragraphs of the text boxes of a sheet, and adds warnings of its charts and objects. */
function drawingsOf(archive: ZipArchive, sheet: string, warnings: ExtractWarning[]): string[] {
  const relations = [...relationshipsOf(archive, sheet).values()]
  const paragraphs: string[] = []
  for (const { kind, target } of relations) {
    if (kind !== 'drawing') continue
    paragraphs.push(...drawingParagraphs(archive.text(target) ?? ''))
    relations.push(...relationshipsOf(archive, target).values())
  }
  warnings.push(...unreadDrawings(relations))
  return paragraphs
}

const scripts: Readonly<Record<string, 'raised' | 'lowered'>> = { superscript: 'raised', subscript: 'lowered' }

/** Returns the strings that cells refer to, without the pronunciation of Chinese and Japanese (`rPh`). */
function sharedStrings(source: string): string[] {
  const strings: string[] = []
  let isText = false
  let phonetic = false
  let script: 'raised' | 'lowered' | undefined
  readXml(source, {
    open: (tag, attributes) => {
      const name = localName(tag)
      if (name === 'si') strings.push('')
      if (name === 'si' || name === 'r') script = undefined
      else if (name === 'rph') phonetic = true
      else if (name === 'vertalign') script = scripts[attributes.val ?? '']
      else if (name === 't') isText = !phonetic
    },
    close: tag => {
      const name = localName(tag)
      if (name === 't') isText = false
      else if (name === 'rph') phonetic = false
    },
    text: text => {
      if (!isText || strings.length === 0) return
      const before = strings.pop() ?? ''
      strings.push(clip(before + (script ? scriptText(script, text, before, '') : text), MAX_CELL_CHARS))
    },
  })
  return strings
}

class SheetReader {
  readonly rows: string[][] = []
  cells = 0
  /** Number of formulas without a stored value, because the program that wrote the file did not compute them. */
  formulas = 0
  /** True if a cell with text is in a column beyond the limit. */
  isTooWide = false
  readonly #strings: readonly string[]
  readonly #formats: CellFormats
  readonly #room: number
  #column = 0
  #type = 'n'
  #style = 0
  #value = ''
  #isValue = false
  #isFormula = false

  constructor(strings: readonly string[], formats: CellFormats, room: number) {
    this.#strings = strings
    this.#formats = formats
    this.#room = room
  }

  read(source: string): void {
    readXml(source, {
      open: (name, attributes) => {
        switch (localName(name)) {
          case 'row':
            this.rows.push([])
            this.#column = 0
            break
          case 'c':
            if (++this.cells > this.#room) return false
            this.#column = columnOf(attributes.r) ?? this.#column
            this.#type = attributes.t ?? 'n'
            this.#style = Number(attributes.s ?? 0)
            this.#value = ''
            this.#isFormula = false
            break
          case 'f':
            this.#isFormula = true
            break
          case 'v':
          case 't':
            this.#isValue = true
            break
        }
        return true
      },
      close: tag => {
        const name = localName(tag)
        if (name === 'v' || name === 't') this.#isValue = false
        else if (name === 'c') this.#endCell()
      },
      text: text => {
        if (this.#isValue) this.#value = clip(this.#value + text, MAX_CELL_CHARS)
      },
    })
  }

  #endCell(): void {
    const row = this.rows.at(-1)
    const text = collapse(this.#shown())
    if (this.#isFormula && this.#value === '' && this.#type !== 'str') this.formulas++
    if (text !== '' && this.#column >= MAX_COLUMNS) this.isTooWide = true
    else if (row && text !== '') {
      while (row.length < this.#column) row.push('')
      row[this.#column] = escapeInline(text, true)
    }
    this.#column++
  }

  #shown(): string {
    const value = this.#value
    switch (this.#type) {
      case 's':
        return this.#strings[Number(value)] ?? ''
      case 'b':
        return value === '1' ? 'TRUE' : 'FALSE'
      case 'n':
        return this.#formats.shown(value, this.#style)
      default:
        return value
    }
  }
}

/** Returns the column in a reference such as `AB12`, counted from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** Returns the rows that have cells. Columns on the left that are empty in every row are left out. */
function trimRows(rows: readonly string[][]): string[][] {
  const filled = rows.filter(row => row.length > 0)
  let first = MAX_COLUMNS
  for (const row of filled)
    first = Math.min(
      first,
      row.findIndex(cell => cell !== ''),
    )
  return filled.map(row => row.slice(first))
}
