import { kindOf, noKind } from './element-kinds.ts'
import { HtmlTokenizer } from './html-tokenizer.ts'
import { type Entities, readDoctype, withEntities } from './xml-doctype.ts'

/** Matches the declaration of a prefix for XHTML, SVG or MathML, whose elements are part of HTML. */
const htmlNamespaces =
  /\bxmlns:([\w.-]{1,100})\s*=\s*["']http:\/\/www\.w3\.org\/(?:1999\/xhtml|2000\/svg|1998\/Math\/MathML)["']/g
/** The roots of TEI, in which `head` is a heading. */
export const teiRoots: ReadonlySet<string> = new Set(['tei', 'tei.2', 'teicorpus'])
const cdata = '<![CDATA['
/** Declared entities may make the text longer by this number of UTF-16 units. After that, references stay as they are. */
const MAX_EXPANSION_UNITS = 1024 * 1024

/**
 * Rewrites XML as HTML, in linear time. `<title/>` becomes `<title></title>`, a CDATA section becomes text, elements of XHTML, SVG and
 * MathML lose their namespace prefix, and entities that the document declares are replaced. In other vocabularies, the first `title`
 * is the title of the page, further ones are headings, and a `body` is a part of the page. XML that is not well formed, which browsers
 * do not show, is then read by the rules of HTML.
 */
export function xmlToHtml(source: string): string {
  const rewriter = new Rewriter(source)
  const tokenizer = new HtmlTokenizer(rewriter, true)
  tokenizer.write(source)
  tokenizer.end()
  return rewriter.finish()
}

class Rewriter {
  readonly #source: string
  readonly #parts: string[] = []
  /** The offset up to which the source was written. */
  #at = 0
  /** The offset after the document type declaration. Its parts look like text. */
  readonly #doctypeEnd: number
  readonly #entities: Entities
  #expansion = 0
  readonly #prefixes: ReadonlySet<string>
  #root = ''
  #tag = ''
  #hasTitle = false
  /** True in a title that is written as a heading. Titles do not nest. */
  #isHeading = false

  constructor(source: string) {
    this.#source = source
    const { start, end, entities } = readDoctype(source)
    this.#doctypeEnd = end
    this.#entities = entities
    this.#prefixes = new Set(Array.from(source.matchAll(htmlNamespaces), ([, prefix = '']) => prefix))
    if (end > 0) this.#write(start, '', end)
  }

  finish(): string {
    return this.#parts.join('') + this.#source.slice(this.#at)
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#nameAt(start, end)
    this.#root ||= this.#tag
    if (this.#tag === 'title') {
      this.#isHeading = this.#hasTitle
      this.#hasTitle = true
    }
    this.#rename(start, end)
  }

  onselfclosingtag(end: number): void {
    if (kindOf(this.#tag).isVoid) return
    this.#write(this.#source.lastIndexOf('/', end), `></${this.#tag}>`, end + 1)
    this.#separate(end + 1)
  }

  onclosetag(start: number, end: number): void {
    const tag = this.#nameAt(start, end)
    const close = this.#source.indexOf('>', end)
    if (close < 0) return
    // In HTML, </br> is a line break of its own.
    if (kindOf(tag).isVoid) this.#write(start - 2, '', close + 1)
    else {
      this.#tag = tag
      this.#rename(start, end)
      this.#separate(close + 1)
    }
    this.#tag = ''
  }

  ontext(start: number, end: number): void {
    if (start < this.#doctypeEnd) return
    const text = this.#source.slice(start, end)
    const { isRawText } = kindOf(this.#tag)
    if ((isRawText || this.#tag === 'title' || this.#tag === 'textarea') && text.includes(cdata))
      this.#write(start, withoutCdata(text, isRawText), end)
    else if (this.#entities.size > 0 && !isRawText && text.includes('&')) this.#writeExpanded(start, text, end)
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.#write(start - cdata.length, escaped(this.#source.slice(start, end - endOffset)), end + 1)
  }

  onopentagend(): void {}
  onattribname(): void {}
  onattribdata(): void {}
  onattribend(): void {}
  ontextentity(): void {}
  onattribentity(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  /** Returns the name of a tag without a prefix of HTML, and does not write that prefix. */
  #nameAt(start: number, end: number): string {
    const name = this.#source.slice(start, end)
    const colon = name.indexOf(':')
    if (colon < 0 || !this.#prefixes.has(name.slice(0, colon))) return name.toLowerCase()
    this.#write(start, '', start + colon + 1)
    return name.slice(colon + 1).toLowerCase()
  }

  /** Renames an element that has the name of an HTML element, but another meaning. */
  #rename(start: number, end: number): void {
    if (this.#root === 'html' || this.#root === 'svg' || this.#root === 'math') return
    if (this.#tag === 'body') this.#write(start, 'div', end)
    else if ((this.#tag === 'title' && this.#isHeading) || (this.#tag === 'head' && teiRoots.has(this.#root))) {
      this.#tag = 'h2'
      this.#write(start, 'h2', end)
    }
  }

  /** Separates the texts of adjacent elements in documents of other vocabularies, such as a name and a price. */
  #separate(at: number): void {
    if (this.#root === 'html' || this.#root === 'math' || kindOf(this.#tag) !== noKind) return
    if (this.#source[at] === '<') this.#write(at, ' ', at)
  }

  #writeExpanded(start: number, text: string, end: number): void {
    const expanded = withEntities(text, this.#entities)
    this.#expansion += Math.max(0, expanded.length - text.length)
    if (this.#expansion <= MAX_EXPANSION_UNITS) this.#write(start, expanded, end)
  }

  /** Writes a text in place of a range of the source, and the source before it. */
  #write(start: number, text: string, end: number): void {
    // The range was written already: the tokenizer also reports tags and texts inside of a document type declaration.
    if (start < this.#at) return
    this.#parts.push(this.#source.slice(this.#at, start), text)
    this.#at = end
  }
}

/** Returns a text in which CDATA sections are replaced by their content. */
function withoutCdata(text: string, isRaw: boolean): string {
  const parts: string[] = []
  let at = 0
  for (let open = text.indexOf(cdata); open >= 0; open = text.indexOf(cdata, at)) {
    const close = text.indexOf(']]>', open)
    if (close < 0) break
    const content = text.slice(open + cdata.length, close)
    parts.push(text.slice(at, open), isRaw ? content : escaped(content))
    at = close + 3
  }
  return parts.join('') + text.slice(at)
}

function escaped(text: string): string {
  return text.replace(/[&<]/g, char => (char === '&' ? '&amp;' : '&lt;'))
}
