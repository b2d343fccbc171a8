import { attributeHtml, type HtmlOutput } from './html-output.ts'
import type { OpenElement, OpenList } from './open-element.ts'

/** Writes the lists of an article, and numbers their items by the labels of the items. */
export class ArticleLists {
  readonly #out: HtmlOutput
  /** Number of the last item of the last ordered list. */
  #lastItem = 0

  constructor(out: HtmlOutput) {
    this.#out = out
  }

  open(element: OpenElement): void {
    const { attributes, rule } = element
    const kind = attributes['list-type'] ?? attributes.numeration
    const isOrdered = rule.tag === 'ol' || /^(?:order|alpha|roman|arabic|lower|upper)/.test(kind ?? '')
    const start =
      attributes.continuation === 'continues' ? this.#lastItem + 1 : Number(attributes.startingnumber ?? '1') || 1
    element.list = { at: this.#out.pieces.length, tag: isOrdered ? 'ol' : 'ul', last: start - 1 }
    this.#out.push(isOrdered ? `<ol start="${start}"${markerOf(kind)}>` : '<ul>')
  }

  /** Opens an item. The references of JATS and the steps of DocBook have no list around them, and get one. */
  openItem(element: OpenElement, parent: OpenElement | undefined): void {
    if (parent && !parent.list) {
      const tag = element.name === 'step' ? 'ol' : 'ul'
      parent.list = { at: this.#out.pieces.length, tag, last: 0 }
      this.#out.push(`<${tag}>`)
    }
    if (parent?.list) parent.list.last++
    this.#out.openTag(element, 'li')
  }

  /** Writes the end tag of a list. @param element - a list, or an element whose items got a list around them from {@link openItem}. */
  close(element: OpenElement): void {
    const { tag, last } = element.list!
    element.list = undefined
    this.#out.push(`</${tag}>`)
    if (tag === 'ol') this.#lastItem = last
  }

  /**
   * Reads the label of an item. A label that is a number becomes the number of the item.
   *
   * @returns true if the label must be written as text.
   */
  readLabel(item: OpenElement, list: OpenList, label: string): boolean {
    const { pieces } = this.#out
    const number = /^\W*(\d{1,6})\W*$/.exec(label)?.[1]
    const isFirst = item.at - list.at <= 2
    if (number !== undefined && (list.tag === 'ol' || isFirst)) {
      if (list.tag === 'ul') pieces[list.at] = '<ol>'
      list.tag = 'ol'
      list.last = Number(number)
      pieces[item.at] = `<li value="${number}">`
      return false
    }
    if (!/[\p{L}\p{N}*†‡]/u.test(label)) return false
    if (list.tag === 'ol' && isFirst) {
      pieces[list.at] = '<ul>'
      list.tag = 'ul'
    }
    return true
  }
}

/** Returns the attribute for letters and Roman numerals as markers of a list. */
function markerOf(kind: string | undefined): string {
  const type = /alpha/.test(kind ?? '') ? 'a' : /roman/.test(kind ?? '') ? 'i' : undefined
  return attributeHtml('type', /upper/.test(kind ?? '') ? type?.toUpperCase() : type)
}
