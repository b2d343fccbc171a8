import { htmlOf } from '../documents/marked-up-page.ts'
import type { Attributes } from '../html/html-tree.ts'
import { localName, readXml } from '../html/xml-reader.ts'
import { ArticleLists } from './article-lists.ts'
import { openCell, openGroup, openRow, openRows } from './article-tables.ts'
import { joinParts } from './citation-text.ts'
import { ruleIn } from './element-places.ts'
import { dropped, type ElementRole, type ElementRules, part, textOnly } from './element-rules.ts'
import { attributeHtml, HtmlOutput } from './html-output.ts'
import { formulaAround, openMath, writeFormula, writeTex } from './math-html.ts'
import type { OpenElement } from './open-element.ts'
import { imageHtml, linkHtml, noteReference, referenceHtml } from './reference-html.ts'

/** Maximum depth of an article, in elements. {@link readXml} ends at a greater depth. */
export const MAX_ARTICLE_DEPTH = 250

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

/** Roles of elements inside a line of text. No space is written between them and the words beside them. */
const inText: ReadonlySet<ElementRole> = new Set([
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
/** Roles of elements that cannot begin with a label. The label is written before them. */
const apartFromLabel: ReadonlySet<ElementRole> = new Set([
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

/**
 * Rewrites an article as HTML, in linear time. Its footnotes are at the end. A reference without text gets the label of its target.
 *
 * @param labels - the labels of elements by their ids, see `articleLabels`.
 */
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
  readonly #out = new HtmlOutput()
  readonly #lists = new ArticleLists(this.#out)
  #label: PendingLabel | undefined
  /** Number of open sections. */
  #depth = 0
  /** Number of open elements that are not written: the first with the role `drop`, and those in it. */
  #dropped = 0
  /** Number of open elements with code. */
  #verbatim = 0
  /** Number of footnotes so far. */
  #noteCount = 0
  #includes = 0
  #isCut = false
  /** True if the last piece ends an element that a space must separate from what follows. */
  #isApart = false

  constructor(rules: ElementRules, labels: ReadonlyMap<string, string>) {
    this.#rules = rules
    this.#labels = labels
  }

  finish(): ArticleHtml {
    while (this.#open.length > 0) this.close()
    return { html: this.#out.pieces.join('') + this.#notes.join(''), includes: this.#includes, isCut: this.#isCut }
  }

  text(text: string): void {
    const top = this.#open.at(-1)
    if (!top || this.#dropped > 0) return
    if (text.trim() === '') {
      // Between the parts of a citation, white space matters only if there is also punctuation.
      top.blanks.push(this.#out.pieces.length)
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
    if (this.#open.length >= MAX_ARTICLE_DEPTH) {
      this.#isCut = true
      return false
    }
    const parent = this.#open.at(-1)
    let rule = ruleIn(this.#rules, name, attributes, parent)
    if (name === 'imageobject' && parent) parent.hasImage = true
    // Of the elements in code, only the text is shown.
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
        parent.parts.push({ name, at: this.#out.pieces.length })
        this.#out.push('')
      } else if (this.#isApart && !inText.has(rule.role) && this.#verbatim === 0) this.#out.push(' ')
      this.#isApart = false
      if (this.#label && (apartFromLabel.has(rule.role) || rule.tag === 'blockquote' || rule.tag === 'dl'))
        this.#flushLabel()
      if (parent?.list && rule.role !== 'item' && rule.role !== 'title') this.#lists.close(parent)
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
        this.#out.openTag(element, rule.tag)
        if (rule.tag === 'p') this.#writeLabel()
        break
      case 'inline':
        this.#out.openTag(element, rule.tag)
        break
      case 'row':
        openRow(this.#out, element, parent)
        break
      case 'enumeration':
        this.#out.openTag(element, 'p')
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
        this.#out.openTag(element, 'section')
        break
      case 'formal':
        this.#out.openTag(element, 'div')
        break
      case 'title':
        this.#openTitle(element)
        break
      case 'list':
        this.#lists.open(element)
        break
      case 'item':
        this.#lists.openItem(element, parent)
        break
      case 'rows':
        openRows(this.#out, element, parent)
        break
      case 'group':
        openGroup(this.#out, element)
        break
      case 'column':
        parent?.columns?.add(element.name, attributes)
        break
      case 'cell':
        openCell(this.#out, element, parent, this.#open.at(-2))
        break
      case 'note':
        if (isOfNotes(parent)) {
          this.#out.push(`<div id="${htmlOf(attributes.id ?? '')}">`)
          element.close = '</div>'
        } else this.#out.collect(element)
        break
      case 'math':
        openMath(this.#out, element, this.#open)
        break
      case 'code':
        this.#verbatim++
        this.#out.collect(element)
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
        this.#out.collect(element)
        break
    }
  }

  #leave(element: OpenElement): void {
    const { rule } = element
    const inner = this.#out.endCollection(element)
    if (element.list) this.#lists.close(element)
    switch (rule.role) {
      case 'section':
      case 'abstract':
        this.#depth--
        break
      case 'sequence':
      case 'enumeration':
      case 'citation':
        joinParts(this.#out.pieces, element.parts, element.hasText ? [] : element.blanks, {
          isMixed: element.hasText,
          sign: rule.role === 'citation' ? '' : rule.tag,
        })
        break
      case 'title':
        if (element.outer) formulaAround(this.#open)!.caption = inner
        break
      case 'label':
        this.#readLabel(inner.trim())
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
        writeFormula(this.#out, element, inner, formulaAround(this.#open))
        break
      case 'tex':
        writeTex(this.#out, element, inner, formulaAround(this.#open))
        break
      case 'xref':
        this.#out.push(
          referenceHtml({
            attributes: element.attributes,
            inner,
            before: (this.#out.pieces.at(-1) ?? '').slice(-2),
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

  /** Writes an argument of a command as manual pages do: `[-a | -b] FILE...`. */
  #openArgument(element: OpenElement, parent: OpenElement | undefined): void {
    const { choice = 'opt', rep } = element.attributes
    const [open, close] = choice === 'opt' ? ['[', ']'] : choice === 'req' ? ['{', '}'] : ['', '']
    const sign = parent?.name === 'group' ? (parent.hasText ? ' | ' : '') : ' '
    if (parent) parent.hasText = true
    this.#out.push(sign + open)
    element.close = close + (rep === 'repeat' ? '...' : '')
  }

  /** Opens a heading, a caption or the name of a list or note. */
  #openTitle(element: OpenElement): void {
    let owner: OpenElement | undefined
    for (let i = this.#open.length - 1; i >= 0; i--) {
      owner = this.#open[i]!
      if (owner.rule.role !== 'info' && owner.name !== 'caption') break
    }
    const { role } = owner?.rule ?? part
    const isBridge = element.name === 'bridgehead'
    if (role === 'enumeration') {
      element.close = ': '
      owner?.parts.pop()
    } else if (isBridge || role === 'section' || role === 'abstract' || owner === undefined) {
      const level = Math.min(6, Math.max(1, this.#depth + (isBridge ? 1 : 0)))
      this.#out.openTag(element, `h${level}`)
      this.#writeLabel()
    } else if (role === 'formula') {
      this.#out.collect(element)
    } else if (role === 'formal' || role === 'table') {
      this.#out.openTag(element, 'p')
      this.#writeLabel()
    } else {
      this.#out.push('<p><b>')
      element.close = '</b></p>'
    }
  }

  #code(element: OpenElement, inner: string): void {
    const parent = this.#open.at(-1)
    const { language, 'code-type': type } = element.attributes
    const isInLine = element.name === 'code' && !inner.trim().includes('\n') && parent?.rule.tag === 'p'
    if (isInLine) this.#out.push(`<code>${inner}</code>`)
    else this.#out.push(`<pre><code${attributeHtml('class', languageOf(language ?? type))}>\n${inner}</code></pre>`)
  }

  /** Makes a label the number of its formula or item, or keeps it for the heading or paragraph that follows. */
  #readLabel(html: string): void {
    const owner = this.#open.at(-1)
    if (html === '' || !owner) return
    if (owner.rule.role === 'formula') {
      owner.number = html
      return
    }
    const list = this.#open.at(-2)?.list
    if (owner.rule.role === 'item' && list && !this.#lists.readLabel(owner, list, html)) return
    this.#label = { html, owner }
  }

  /** Writes the label at the start of a heading or paragraph. */
  #writeLabel(): void {
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

  /** Moves a footnote to the end, and writes a reference in its place. */
  #moveNote({ attributes }: OpenElement, inner: string): void {
    const id = attributes.id ?? attributes['xml:id'] ?? `note-${this.#noteCount + 1}`
    this.#noteCount++
    this.#out.push(noteReference(id, `${this.#noteCount}`))
    this.#notes.push(`<div id="${htmlOf(id)}">${inner}</div>`)
  }
}

/** True if the notes in an element are written in their place, such as those in a group of notes. Other notes are moved to the end. */
function isOfNotes(parent: OpenElement | undefined): boolean {
  return parent === undefined || /^(?:fn-group|table-wrap-foot|notes|author-notes|back|ack)$/.test(parent.name)
}

function languageOf(name: string | undefined): string | undefined {
  return name !== undefined && /^[\w+#-]{1,30}$/.test(name) ? `language-${name.toLowerCase()}` : undefined
}
