import { collapse, type HtmlNode, type HtmlTree } from '../html/html-tree.ts'

const MAX_BASE_CHARS = 100
const MAX_READING_CHARS = 200
/** Maximum depth of ruby in ruby. */
const MAX_DEPTH = 8

interface OpenRuby {
  base: string
  reading: string
}

/**
 * The readings of ruby in the current block. They are written at its end, because a reading inside of a word would
 * divide the word, and a phrase with it.
 */
export class RubyReadings {
  readonly #open: OpenRuby[] = []
  #readings = new Map<string, string>()

  open(): void {
    this.#open.push({ base: '', reading: '' })
  }

  /** Adds text to the bases of the open ruby. */
  addBase(text: string): void {
    if (this.#open.length === 0) return
    for (const ruby of this.#open.slice(-MAX_DEPTH)) if (ruby.base.length < MAX_BASE_CHARS) ruby.base += text
  }

  /** Adds what is in an `<rt>` or `<rtc>` to the reading. */
  addReading(tree: HtmlTree, node: HtmlNode): void {
    const ruby = this.#open.at(-1)
    let text = collapse(textIn(tree, node))
    // Dots that only emphasize are no reading.
    if (ruby === undefined || !/[\p{L}\p{N}]/u.test(text)) return
    if (ruby.reading !== '' && (node.tag === 'rtc' || /[\p{Script=Latin}\p{N}]/u.test(text))) text = ` ${text}`
    if (ruby.reading.length < MAX_READING_CHARS) ruby.reading += text
  }

  close(): void {
    const ruby = this.#open.pop()
    if (ruby === undefined || ruby.reading === '') return
    this.#readings.set(collapse(ruby.base.slice(0, MAX_BASE_CHARS)), ruby.reading)
  }

  /** Returns the bases of the block with their readings, in parentheses, and starts a new block; '' if there are none. */
  take(): string {
    if (this.#readings.size === 0) return ''
    const readings = [...this.#readings].map(([base, reading]) => (base === '' ? reading : `${base} ${reading}`))
    this.#readings = new Map()
    return `(${readings.join('; ')})`
  }
}

function textIn(tree: HtmlTree, node: HtmlNode): string {
  let text = ''
  for (let i = node.index + 1; i < node.end && text.length < MAX_READING_CHARS; i++) {
    const inner = tree.nodes[i]!
    if (inner.kind.isUnseen) i = inner.end - 1
    else if (inner.tag === '') text += inner.text
    else if (inner.tag === 'rt') text += ' '
  }
  return text.slice(0, MAX_READING_CHARS)
}
