import { htmlOf } from '../documents/marked-up-page.ts'
import { localName, readXml } from '../html/xml-reader.ts'
import { joinParts } from './citation-text.ts'
import { ruleIn, unknownElement } from './element-places.ts'
import type { ElementRule, ElementRules } from './element-rules.ts'
import { mathOf, texOf } from './math-html.ts'
import type { Attributes, OpenElement } from './open-element.ts'
import { imageHtml, linkHtml, noteReference, referenceHtml } from './reference-html.ts'
import { TableColumns } from './table-columns.ts'

/** Maximum depth of an article. {@link readXml} ends at a greater one. */
const MAX_DEPTH = 250

export interface ArticleHtml {
  html: string
  /** Number of files that the document includes, whose text is not in it. */
  includes: number
  /** True if the article is deeper than the limit, so that its end is missing. */
  isCut: boolean
}

/** The label before a heading, caption, item or note, until the text that it belongs to begins. */
interface PendingLabel {
  html: string
  owner: OpenElement
}

/** Roles whose texts are in lines of text, so that nothing separates them from the words beside them. */
const inText = new Set([
  'inline',
  'text',
  'xref',
  'link',
  'note',
  'noteref',
  'math',
  'tex',
  'formula',
  'image',
  'drop',
  'bracketed',
])
/** Elements that a label cannot be in, so that it is written before them. */
const apartFromLabel = new Set([
  'list',
  'item',
  'table',
  'group',
  'rows',
  'row',
  'code',
  'lines',
  'section',
  'formal',
  'citation',
])
/** Rewrites an article as HTML, in linear time. Footnotes stand at its end, and references without text have that of their target. */
export function articleHtml(source: string, rules: ElementRules, labels: ReadonlyMap<string, string>): ArticleHtml {
  const writer = new ArticleWriter(rules, labels)
  readXml(source, {
    open: (name, attributes) => writer.open(localName(name), attributes),
    close: () => writer.close(),
    text: text => writer.text(text),
  })
  return writer.finish()
}

class ArticleWriter {
  readonly #rules: ElementRules
  readonly #labels: ReadonlyMap<string, string>
  readonly #open: OpenElement[] = []
  readonly #notes: string[] = []
  #out: string[] = []
  #label: PendingLabel | undefined
  #depth = 0
  /** Numbers of open elements that are dropped, and of code. */
  #dropped = 0
  #verbatim = 0
  /** Number of footnotes so far, and of the last item of the last ordered list. */
  #noteCount = 0
  #lastItem = 0
  #includes = 0
  #isCut = false
  /** True if the last output is the end of an element that needs a separator. */
  #isApart = false

  constructor(rules: ElementRules, labels: ReadonlyMap<string, string>) {
    this.#rules = rules
    this.#labels = labels
  }

  finish(): ArticleHtml {
    while (this.#open.length > 0) this.close()
    return { html: this.#out.join('') + this.#notes.join(''), includes: this.#includes, isCut: this.#isCut }
  }

  text(text: string): void {
    const top = this.#open.at(-1)
    if (!top || this.#dropped > 0) return
    if (text.trim() === '') {
      // Between the parts of a citation, white space matters only if there is also punctuation.
      top.blanks.push(this.#out.length)
      this.#out.push(text)
      if (text !== '') this.#isApart = false
      return
    }
    if (this.#label?.owner === top) this.#flushLabel()
    top.hasText = true
    this.#isApart = false
    this.#out.push(htmlOf(text))
  }

  open(name: string, attributes: Attributes): boolean {
    if (this.#open.length >= MAX_DEPTH) {
      this.#isCut = true
      return false
    }
    const parent = this.#open.at(-1)
    let rule = ruleIn(this.#rules, name, attributes, parent)
    // In code, only its text is shown.
    if (this.#verbatim > 0) rule = rule.role === 'drop' || rule.role === 'note' ? dropped : textOnly
    const element: OpenElement = {
      name,
      rule,
      attributes,
      close: '',
      at: 0,
      parts: [],
      blanks: [],
      hasText: false,
    }
    if (this.#dropped > 0 || rule.role === 'drop') this.#dropped++
    else {
      if (parent?.rule.role === 'sequence' || parent?.rule.role === 'enumeration' || parent?.rule.role === 'citation') {
        parent.parts.push({ name, at: this.#out.length })
        this.#out.push('')
      } else if (this.#isApart && !inText.has(rule.role) && this.#verbatim === 0) this.#out.push(' ')
      this.#isApart = false
      if (this.#label && (apartFromLabel.has(rule.role) || rule.tag === 'blockquote' || rule.tag === 'dl'))
        this.#flushLabel()
      if (parent?.list && rule.role !== 'item' && rule.role !== 'title') this.#closeList(parent)
      this.#enter(element, parent)
    }
    this.#open.push(element)
    return true
  }

  close(): void {
    const element = this.#open.pop()
    if (!element) return
    if (this.#dropped > 0) {
      this.#dropped--
      return
    }
    if (this.#label?.owner === element) this.#flushLabel()
    this.#leave(element)
    this.#isApart = !inText.has(element.rule.role)
  }

  #enter(element: OpenElement, parent: OpenElement | undefined): void {
    const { rule, attributes } = element
    switch (rule.role) {
      case 'block':
        this.#openTag(element, rule.tag)
        if (rule.tag === 'p') this.#takeLabel()
        break
      case 'inline':
        this.#openTag(element, rule.tag)
        break
      case 'row':
        this.#openTable(parent)
        this.#openTag(element, rule.tag)
        break
      case 'enumeration':
        this.#openTag(element, 'p')
        break
      case 'argument':
        this.#openArgument(element, parent)
        break
      case 'bracketed':
        this.#out.push('(')
        element.close = ')'
        break
      case 'section':
      case 'abstract':
        this.#depth++
        this.#openTag(element, 'section')
        break
      case 'formal':
        this.#openTag(element, 'div')
        break
      case 'title':
        this.#openTitle(element)
        break
      case 'list':
        this.#openList(element)
        break
      case 'item':
        this.#openItem(element, parent)
        break
      case 'rows':
        this.#openRows(element, parent)
        break
      case 'group':
        this.#openTag(element, 'table')
        element.columns = new TableColumns()
        break
      case 'column':
        parent?.columns?.add(element.name, attributes)
        break
      case 'cell':
        this.#openCell(element)
        break
      case 'note':
        if (isOfNotes(parent)) {
          this.#out.push(`<div id="${htmlOf(attributes.id ?? '')}">`)
          element.close = '</div>'
        } else this.#collect(element)
        break
      case 'math':
        this.#openMath(element, parent)
        break
      case 'code':
        this.#verbatim++
        this.#collect(element)
        break
      case 'noteref':
        this.#out.push(noteReference(attributes.linkend ?? '', `${this.#noteCount}`))
        break
      case 'image':
        this.#out.push(imageHtml(attributes))
        break
      case 'include':
        this.#includes++
        break
      case 'label':
      case 'lines':
      case 'formula':
      case 'tex':
      case 'xref':
      case 'link':
        this.#collect(element)
        break
    }
  }

  #leave(element: OpenElement): void {
    const { rule } = element
    const inner = element.outer ? this.#out.join('') : ''
    if (element.outer) this.#out = element.outer
    if (element.list) this.#closeList(element)
    switch (rule.role) {
      case 'section':
      case 'abstract':
        this.#depth--
        break
      case 'sequence':
      case 'enumeration':
      case 'citation':
        joinParts(this.#out, element.parts, element.hasText ? [] : element.blanks, {
          isMixed: element.hasText,
          sign: rule.role === 'citation' ? '' : rule.tag,
        })
        break
      case 'title':
        if (element.outer) this.#formulaAround()!.caption = inner
        break
      case 'label':
        this.#takeAsLabel(inner.trim())
        return
      case 'note':
        if (element.outer) this.#moveNote(element, inner)
        break
      case 'lines':
        this.#out.push(`<p>${inner.trim().replaceAll('\n', '<br>')}</p>`)
        break
      case 'code':
        this.#verbatim--
        this.#code(element, inner)
        break
      case 'formula':
        this.#formula(element, inner)
        break
      case 'tex':
        this.#tex(element, inner)
        break
      case 'xref':
        this.#out.push(
          referenceHtml({
            attributes: element.attributes,
            inner,
            before: (this.#out.at(-1) ?? '').slice(-2),
            isRaised: this.#open.some(({ rule }) => rule.tag === 'sup'),
            labels: this.#labels,
          }),
        )
        break
      case 'link':
        this.#out.push(linkHtml(element.name, element.attributes, inner, this.#labels))
        break
    }
    if (element.close !== '') this.#out.push(element.close)
  }

  #openTag(element: OpenElement, tag: string): void {
    element.at = this.#out.length
    this.#out.push(`<${tag}>`)
    if (tag !== 'br' && tag !== 'hr') element.close = `</${tag}>`
  }

  /** Writes an argument of a command as manual pages do: `[-a | -b] FILE...`. */
  #openArgument(element: OpenElement, parent: OpenElement | undefined): void {
    const { choice = 'opt', rep } = element.attributes
    const [open, close] = choice === 'opt' ? ['[', ']'] : choice === 'req' ? ['{', '}'] : ['', '']
    const sign = parent?.name === 'group' ? (parent.hasText ? ' | ' : '') : ' '
    if (parent) parent.hasText = true
    this.#out.push(sign + open)
    element.close = close + (rep === 'repeat' ? '...' : '')
  }

  #collect(element: OpenElement): void {
    element.outer = this.#out
    this.#out = []
  }

  /** Opens a heading, a caption or the name of a list or note. */
  #openTitle(element: OpenElement): void {
    let owner: OpenElement | undefined
    for (let i = this.#open.length - 1; i >= 0; i--) {
      owner = this.#open[i]!
      if (owner.rule.role !== 'info' && owner.name !== 'caption') break
    }
    const { role } = owner?.rule ?? unknownElement
    const isBridge = element.name === 'bridgehead'
    if (role === 'enumeration') {
      element.close = ': '
      owner?.parts.pop()
    } else if (isBridge || role === 'section' || role === 'abstract' || owner === undefined) {
      const level = Math.min(6, Math.max(1, this.#depth + (isBridge ? 1 : 0)))
      this.#openTag(element, `h${level}`)
      this.#takeLabel()
    } else if (role === 'formula') {
      this.#collect(element)
    } else if (role === 'formal' || role === 'table') {
      this.#openTag(element, 'p')
      this.#takeLabel()
    } else {
      this.#out.push('<p><b>')
      element.close = '</b></p>'
    }
  }

  #openList(element: OpenElement): void {
    const { attributes, rule } = element
    const kind = attributes['list-type'] ?? attributes.numeration
    const isOrdered = rule.tag === 'ol' || /^(?:order|alpha|roman|arabic|lower|upper)/.test(kind ?? '')
    const start =
      attributes.continuation === 'continues' ? this.#lastItem + 1 : Number(attributes.startingnumber ?? '1') || 1
    element.list = { at: this.#out.length, tag: isOrdered ? 'ol' : 'ul', last: start - 1 }
    this.#out.push(isOrdered ? `<ol start="${start}"${markerOf(kind)}>` : '<ul>')
  }

  /** Opens an item. The references of JATS and the steps of DocBook have no list around them, and get one. */
  #openItem(element: OpenElement, parent: OpenElement | undefined): void {
    if (parent && !parent.list) {
      const tag = element.name === 'step' ? 'ol' : 'ul'
      parent.list = { at: this.#out.length, tag, last: 0 }
      this.#out.push(`<${tag}>`)
    }
    if (parent?.list) parent.list.last++
    this.#openTag(element, 'li')
  }

  #closeList(element: OpenElement): void {
    const { tag, last } = element.list!
    element.list = undefined
    this.#out.push(`</${tag}>`)
    if (tag === 'ol') this.#lastItem = last
  }

  #openRows(element: OpenElement, parent: OpenElement | undefined): void {
    this.#openTable(parent)
    this.#openTag(element, element.name)
    element.columns = parent?.columns
  }

  /** Opens a table of HTML's model at its first row, because a caption may be in it before. */
  #openTable(parent: OpenElement | undefined): void {
    if (parent?.rule.role !== 'table' || parent.close !== '') return
    this.#out.push('<table>')
    parent.close = '</table>'
  }

  #openCell(element: OpenElement): void {
    const { attributes } = element
    const [row, rows] = [this.#open.at(-1), this.#open.at(-2)]
    if (row?.rule.role === 'rows' && !row.close.startsWith('</tr>')) {
      this.#out.push('<tr>')
      row.close = `</tr>${row.close}`
    }
    const group = rows?.columns ?? row?.columns
    const cell = group?.cell(row!, attributes)
    const tag = element.name === 'th' || row?.name === 'thead' || rows?.name === 'thead' ? 'th' : 'td'
    for (let i = 0; i < (cell?.before ?? 0); i++) this.#out.push(`<${tag}></${tag}>`)
    const colspan = cell?.colspan ?? attributes.colspan
    const rowspan = cell?.rowspan ?? attributes.rowspan
    this.#openTag(element, tag)
    this.#out[element.at] = `<${tag}${attribute('colspan', colspan)}${attribute('rowspan', rowspan)}>`
  }

  #openMath(element: OpenElement, parent: OpenElement | undefined): void {
    const isInside = parent?.rule.role === 'math'
    const kept = Object.entries(element.attributes).filter(([name]) => mathAttributes.has(name))
    const isBlock = !isInside && this.#formulaAround()?.rule.tag === 'block'
    const tag = isInside ? element.name : 'math'
    const written = kept.map(([name, value]) => attribute(name, value)).join('')
    this.#out.push(`<${tag}${written}${isBlock ? ' display="block"' : ''}>`)
    element.close = `</${tag}>`
  }

  #formulaAround(): OpenElement | undefined {
    for (let i = this.#open.length - 1, steps = 0; i >= 0 && steps < 6; i--, steps++)
      if (this.#open[i]!.rule.role === 'formula') return this.#open[i]
    return undefined
  }

  #formula(element: OpenElement, inner: string): void {
    const isBlock = element.rule.tag === 'block'
    const around = this.#formulaAround()
    if (around && element.tex !== undefined) {
      around.tex ??= element.tex
      return
    }
    const html = element.tex === undefined ? inner : mathOf(element.tex, isBlock)
    if (element.caption !== undefined) this.#out.push(`<p>${element.caption}</p>`)
    this.#out.push(isBlock ? `<div>${html}</div>` : html)
    if (element.number !== undefined) this.#out.push(isBlock ? `<p>${element.number}</p>` : ` ${element.number} `)
  }

  #tex(element: OpenElement, inner: string): void {
    const tex = texOf(inner)
    // In DocBook, `alt` is TeX or a description.
    if (element.name === 'alt' && !/[\\^_{}=]/.test(tex)) return
    const formula = this.#formulaAround()
    if (formula) formula.tex ??= tex
    else this.#out.push(mathOf(tex, false))
  }

  #code(element: OpenElement, inner: string): void {
    const parent = this.#open.at(-1)
    const { language, 'code-type': type } = element.attributes
    const isInLine = element.name === 'code' && !inner.trim().includes('\n') && parent?.rule.tag === 'p'
    if (isInLine) this.#out.push(`<code>${inner}</code>`)
    else this.#out.push(`<pre><code${attribute('class', languageOf(language ?? type))}>\n${inner}</code></pre>`)
  }

  /** Makes a label wait for the text that it belongs to, or the number of an item. */
  #takeAsLabel(html: string): void {
    const owner = this.#open.at(-1)
    if (html === '' || !owner) return
    if (owner.rule.role === 'formula') {
      owner.number = html
      return
    }
    const list = this.#open.at(-2)?.list
    if (owner.rule.role === 'item' && list) {
      const number = /^\W*(\d{1,6})\W*$/.exec(html)?.[1]
      const isFirst = owner.at - list.at <= 2
      if (number !== undefined && (list.tag === 'ol' || isFirst)) {
        if (list.tag === 'ul') this.#out[list.at] = '<ol>'
        list.tag = 'ol'
        list.last = Number(number)
        this.#out[owner.at] = `<li value="${number}">`
        return
      }
      if (!/[\p{L}\p{N}*†‡]/u.test(html)) return
      if (list.tag === 'ol' && isFirst) {
        this.#out[list.at] = '<ul>'
        list.tag = 'ul'
      }
    }
    this.#label = { html, owner }
  }

  /** Writes the label at the start of a heading or paragraph. */
  #takeLabel(): void {
    if (!this.#label) return
    const { html, owner } = this.#label
    this.#label = undefined
    const { role } = owner.rule
    if (role === 'note') this.#out.push(owner.outer ? '' : `<span class="backref">${html}</span> `)
    else this.#out.push(role === 'formal' ? `<b>${html}</b> ` : `${html} `)
  }

  /** Writes a label that no heading or paragraph follows. */
  #flushLabel(): void {
    const { html, owner } = this.#label!
    this.#label = undefined
    if (owner.rule.role === 'formal' || owner.rule.role === 'section') this.#out.push(`<p><b>${html}</b></p>`)
    else this.#out.push(` ${html} `)
  }

  /** Puts a footnote to the end, and a reference in its place. */
  #moveNote({ attributes }: OpenElement, inner: string): void {
    const id = attributes.id ?? attributes['xml:id'] ?? `note-${this.#noteCount + 1}`
    this.#noteCount++
    this.#out.push(noteReference(id, `${this.#noteCount}`))
    this.#notes.push(`<div id="${htmlOf(id)}">${inner}</div>`)
  }
}

const dropped: ElementRule = { role: 'drop', tag: '' }
const textOnly: ElementRule = { role: 'text', tag: '' }
const mathAttributes = new Set(['alttext', 'close', 'display', 'encoding', 'linethickness', 'open', 'separators'])

/** True for an element that only holds notes, so that they stand where they are. */
function isOfNotes(parent: OpenElement | undefined): boolean {
  return parent === undefined || /^(?:fn-group|table-wrap-foot|notes|author-notes|back|ack)$/.test(parent.name)
}

function attribute(name: string, value: string | number | undefined): string {
  return value === undefined || value === '' ? '' : ` ${name}="${htmlOf(`${value}`)}"`
}

function languageOf(name: string | undefined): string | undefined {
  return name !== undefined && /^[\w+#-]{1,30}$/.test(name) ? `language-${name.toLowerCase()}` : undefined
}

/** Returns the attribute for letters and Roman numerals as markers of a list. */
function markerOf(kind: string | undefined): string {
  const type = /alpha/.test(kind ?? '') ? 'a' : /roman/.test(kind ?? '') ? 'i' : undefined
  return attribute('type', /upper/.test(kind ?? '') ? type?.toUpperCase() : type)
}
