import { Parser } from 'htmlparser2'
import { localName } from '../html/xml-reader.ts'
import { texOf } from './omml-tex.ts'

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
/** Maximum depth of elements. A deeper document is not rewritten, because htmlparser2 takes quadratic time in the depth. */
const MAX_DEPTH = 256
const CHUNK_CHARS = 65_536
const MAX_GRID_CELLS = 63

/** Styles that the converter maps to elements of HTML, see {@link docxStyleMap}. */
const RUBY = 'AsofRuby'
const READING = 'AsofReading'
const BRACKET = 'AsofBracket'
const FORMULA = 'AsofFormula'
const DISPLAY = 'AsofDisplay'

/** Rules for mammoth, for the styles that {@link rewriteDocx} uses. */
export const docxStyleMap: readonly string[] = [
  `r.${RUBY} => ruby:fresh`,
  `r.${READING} => rt:fresh`,
  `r.${BRACKET} => rp:fresh`,
  `r.${FORMULA} => math:fresh > annotation[encoding='application/x-tex']:fresh`,
  `r.${DISPLAY} => math[display='block']:fresh > annotation[encoding='application/x-tex']:fresh`,
]

/** Elements whose content mammoth leaves out, though it is part of the text around them. */
const transparent = new Set(['fldSimple', 'bdo', 'dir', 'oMathPara'])

export interface RewrittenDocx {
  xml: string
  /** Ids of the relationships to documents that are embedded as text, and to the data of diagrams. Where they belong, {@link chunkMark} is written. */
  chunks: string[]
  charts: number
  /** Number of embedded objects, such as sheets, and of equations in the format of an old program. */
  objects: number
}

/** Returns the text that marks where a document is embedded. */
export function chunkMark(chunk: number): string {
  return `\u{f0000}${chunk}\u{f0001}`
}

/** The output while an element is open. */
interface Frame {
  /** The element, or '' for the whole part. */
  name: string
  parts: string[]
  /** True if the source is not copied. Its children may have frames that copy it. */
  isSkipped: boolean
  hasWords: boolean
  start: number
  /** The output of children that have ended, by name, for an element that combines them when it ends. */
  children: Map<string, { xml: string; hasWords: boolean }[]>
}

/**
 * Rewrites a part of a Word document so that mammoth reads what it would leave out: ruby, equations, fields, text boxes,
 * embedded documents, and the empty cells at the start of a row. Leaves out hidden text, which mammoth would keep.
 */
export function rewriteDocx(source: string): RewrittenDocx {
  const rewriter = new Rewriter(source)
  const xml = rewriter.run()
  const { chunks, charts, objects } = rewriter
  return { xml, chunks, charts, objects }
}

class Rewriter {
  readonly chunks: string[] = []
  charts = 0
  objects = 0

  readonly #source: string
  readonly #frames: Frame[] = [newFrame('', false, 0)]
  /** Offset in the source. Everything before it was written or left out. */
  #from = 0
  #depth = 0
  #tables = 0
  /** Number of `oMath` elements that are open, one in another. An equation is read when the outermost one ends. */
  #formulas = 0
  #isDisplay = false
  #formulaEnd = -1
  #gridCells = 0
  #isText = false
  /** True in a run that is hidden text. Its properties precede its text. */
  #isHidden = false
  /** Marks of documents that are embedded in a table. They are written after it, because its cells cannot contain a document. */
  #afterTable: string[] = []

  constructor(source: string) {
    this.#source = source
  }

  run(): string {
    const parser = new Parser(
      {
        onopentag: (name, attributes) => {
          this.#depth++
          this.#open(localName(name), attributes, parser.startIndex, (parser.endIndex ?? parser.startIndex) + 1)
        },
        onclosetag: name => {
          this.#depth--
          this.#close(localName(name), parser.startIndex, (parser.endIndex ?? parser.startIndex) + 1)
        },
        ontext: text => {
          if (this.#isText && text.trim() !== '') this.#frame.hasWords = true
        },
      },
      { xmlMode: true },
    )
    for (let at = 0; at < this.#source.length; at += CHUNK_CHARS) {
      parser.write(this.#source.slice(at, at + CHUNK_CHARS))
      if (this.#depth > MAX_DEPTH) return this.#source
    }
    if (this.#frames.length > 1) return this.#source
    this.#copyTo(this.#source.length)
    return this.#frame.parts.join('')
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!
  }

  #copyTo(end: number): void {
    if (end > this.#from && !this.#frame.isSkipped) this.#frame.parts.push(this.#source.slice(this.#from, end))
    this.#from = Math.max(this.#from, end)
  }

  /** Writes XML in place of the source up to `end`. */
  #replace(start: number, end: number, xml: string): void {
    this.#copyTo(start)
    this.#frame.parts.push(xml)
    this.#from = Math.max(this.#from, end)
  }

  #begin(name: string, start: number, end: number, isSkipped: boolean): void {
    this.#copyTo(start)
    this.#from = Math.max(this.#from, end)
    this.#frames.push(newFrame(name, isSkipped, start))
  }

  /** Ends the current frame and returns it, if it is the frame of an element with this name. Otherwise returns undefined. */
  #end(name: string, start: number, end: number): Frame | undefined {
    if (this.#frame.name !== name || this.#frames.length === 1) return undefined
    this.#copyTo(start)
    this.#from = Math.max(this.#from, end)
    const frame = this.#frames.pop()!
    this.#frame.hasWords ||= frame.hasWords
    return frame
  }

  #open(name: string, attributes: Readonly<Record<string, string>>, start: number, end: number): void {
    if (this.#formulas > 0) {
      if (name === 'oMath') this.#formulas++
      return
    }
    switch (name) {
      case 'ruby':
      case 'AlternateContent':
      case 'drawing':
        this.#begin(name, start, end, true)
        break
      case 'rt':
      case 'rubyBase':
        if (this.#frame.name === 'ruby') this.#begin(name, start, end, false)
        break
      case 'Choice':
      case 'Fallback':
        if (this.#frame.name === 'AlternateContent') this.#begin(name, start, end, false)
        break
      case 'txbxContent':
        if (this.#frames.some(frame => frame.name === 'drawing')) this.#begin(name, start, end, false)
        break
      case 'oMath':
        this.#formulas = 1
        this.#begin(name, start, start, true)
        break
      case 'tbl':
        this.#tables++
        break
      case 'gridBefore':
        this.#gridCells = Math.min(MAX_GRID_CELLS, Math.trunc(Number(attributeOf(attributes, 'val'))) || 0)
        break
      case 'altChunk': {
        const mark = this.#markOf(attributeOf(attributes, 'id') ?? '')
        if (this.#tables > 0) this.#afterTable.push(mark)
        this.#replace(start, end, this.#tables > 0 ? '' : mark)
        this.#frame.hasWords = true
        break
      }
      case 'chart':
        this.charts++
        break
      case 'relIds': {
        const mark = this.#markOf(attributeOf(attributes, 'dm') ?? '')
        const drawing = this.#frames.findLast(({ name }) => name === 'drawing')
        if (drawing && this.#tables === 0)
          drawing.children.set('txbxContent', [
            ...(drawing.children.get('txbxContent') ?? []),
            { xml: mark, hasWords: true },
          ])
        else this.#afterTable.push(mark)
        break
      }
      case 'OLEObject':
        this.objects++
        break
      case 'cr':
        this.#replace(start, end, `<w:br xmlns:w="${WORD}"/>`)
        break
      case 'ptab':
        this.#replace(start, end, `<w:tab xmlns:w="${WORD}"/>`)
        break
      case 'r':
        this.#isHidden = false
        break
      case 'rPrChange':
        // These are the properties that a tracked change has replaced.
        this.#begin(name, start, end, true)
        break
      case 'vanish':
        if (this.#frame.name === 'rPrChange') break
        this.#isHidden = !/^(?:0|false|off)$/.test(attributeOf(attributes, 'val') ?? '')
        break
      case 't':
        if (this.#isHidden) this.#begin(name, start, end, true)
        else this.#isText = true
        break
      default:
        if (name === 'oMathPara') this.#isDisplay = true
        if (transparent.has(name)) this.#replace(start, end, '')
    }
  }

  #close(name: string, start: number, end: number): void {
    if (this.#formulas > 0) {
      if (name === 'oMath' && --this.#formulas === 0) this.#endFormula(end)
      return
    }
    switch (name) {
      case 'rt':
      case 'rubyBase':
      case 'Choice':
      case 'Fallback':
      case 'txbxContent': {
        const frame = this.#end(name, start, end)
        if (frame) this.#addChild(frame)
        break
      }
      case 'ruby': {
        const frame = this.#end(name, start, end)
        if (frame) this.#frame.parts.push(rubyXml(childXml(frame, 'rubyBase'), childXml(frame, 'rt')))
        break
      }
      case 'AlternateContent': {
        const frame = this.#end(name, start, end)
        const [fallback] = frame?.children.get('Fallback') ?? []
        const choice = frame?.children.get('Choice')?.find(({ hasWords }) => hasWords)
        // The choice and the fallback say the same. Old programs and mammoth read the fallback; some documents have none.
        if (frame) this.#frame.parts.push((fallback?.hasWords || !choice ? fallback : choice)?.xml ?? '')
        break
      }
      case 'drawing': {
        const frame = this.#end(name, start, end)
        if (!frame) break
        const boxes = childXml(frame, 'txbxContent')
        this.#frame.parts.push(
          boxes === ''
            ? this.#source.slice(frame.start, end)
            : `<w:pict xmlns:w="${WORD}"><w:txbxContent>${boxes}</w:txbxContent></w:pict>`,
        )
        break
      }
      case 'trPr':
        this.#replace(end, end, `<w:tc xmlns:w="${WORD}"><w:p/></w:tc>`.repeat(this.#gridCells))
        this.#gridCells = 0
        break
      case 'tbl':
        this.#tables--
        if (this.#tables === 0 && this.#afterTable.length > 0) {
          this.#replace(end, end, this.#afterTable.join(''))
          this.#afterTable = []
        }
        break
      case 't':
        this.#isText = false
        this.#end(name, start, end)
        break
      case 'rPrChange':
        this.#end(name, start, end)
        break
      default:
        if (name === 'oMathPara') this.#isDisplay = false
        if (transparent.has(name)) this.#replace(start, end, '')
    }
  }

  /** Returns a paragraph with the mark of the next chunk. */
  #markOf(id: string): string {
    this.chunks.push(id)
    return paragraph(chunkMark(this.chunks.length - 1))
  }

  /** Adds the output of an element to the frame of the element that combines it with others. */
  #addChild(frame: Frame): void {
    const owner = frame.name === 'txbxContent' ? this.#frames.findLast(({ name }) => name === 'drawing') : this.#frame
    const { name, parts, hasWords } = frame
    const all = owner?.children.get(name) ?? []
    all.push({ xml: parts.join(''), hasWords })
    owner?.children.set(name, all)
  }

  #endFormula(end: number): void {
    const frame = this.#end('oMath', end, end)
    if (!frame) return
    const tex = texOf(this.#source.slice(frame.start, end))
    if (tex === '') return
    // Two formulas without a space between them would be read as one display formula, because their `$` signs meet.
    if (this.#formulaEnd === frame.start) this.#frame.parts.push(run(text(' '), ''))
    this.#formulaEnd = end
    this.#frame.parts.push(run(text(tex), this.#isDisplay ? DISPLAY : FORMULA))
    this.#frame.hasWords = true
  }
}

function newFrame(name: string, isSkipped: boolean, start: number): Frame {
  return { name, parts: [], isSkipped, hasWords: false, start, children: new Map() }
}

function childXml(frame: Frame, name: string): string {
  return (frame.children.get(name) ?? []).map(({ xml }) => xml).join('')
}

/** Returns ruby as runs in a run, because Word has ruby inside a run. */
function rubyXml(base: string, reading: string): string {
  if (reading === '') return base
  return run(`${base}${run(text(' ('), BRACKET)}${run(reading, READING)}${run(text(')'), BRACKET)}`, RUBY)
}

function run(content: string, style: string): string {
  return `<w:r xmlns:w="${WORD}"><w:rPr><w:rStyle w:val="${style}"/></w:rPr>${content}</w:r>`
}

function paragraph(words: string): string {
  return `<w:p xmlns:w="${WORD}"><w:r>${text(words)}</w:r></w:p>`
}

function text(words: string): string {
  const escaped = words.replace(/[&<>]/g, char => `&#${char.charCodeAt(0)};`)
  return `<w:t xmlns:w="${WORD}" xml:space="preserve">${escaped}</w:t>`
}

/** Returns the value of an attribute whatever its prefix. */
function attributeOf(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  for (const [key, value] of Object.entries(attributes)) if (localName(key) === name) return value
  return undefined
}
