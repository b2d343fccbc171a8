import { htmlOf } from '../documents/marked-up-page.ts'
import type { OpenElement } from './open-element.ts'

/** The HTML of an article so far, in pieces. An element keeps the position of a piece that changes while the element is read. */
export class HtmlOutput {
  pieces: string[] = []

  push(html: string): void {
    this.pieces.push(html)
  }

  /** Writes a start tag now, and the end tag when the element ends. */
  openTag(element: OpenElement, tag: string, attributes = ''): void {
    element.at = this.pieces.length
    this.pieces.push(`<${tag}${attributes}>`)
    if (tag !== 'br' && tag !== 'hr') element.close = `</${tag}>`
  }

  /** Begins to collect what an element contains, instead of writing it. */
  collect(element: OpenElement): void {
    element.outer = this.pieces
    this.pieces = []
  }

  /** Returns what an element contains and ends the collection; '' if it was not collected. */
  endCollection(element: OpenElement): string {
    if (!element.outer) return ''
    const inner = this.pieces.join('')
    this.pieces = element.outer
    return inner
  }
}

/** Returns an attribute with the space before it; '' without a value. */
export function attributeHtml(name: string, value: string | number | undefined): string {
  return value === undefined || value === '' ? '' : ` ${name}="${htmlOf(`${value}`)}"`
}
