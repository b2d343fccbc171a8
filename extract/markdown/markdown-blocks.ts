import { escapeLineStart } from './markdown-escape.ts'

/**
 * Maximum depth of lists and quotes, so that the prefixes of lines stay short. Deeper ones are written at this depth.
 */
const MAX_CONTAINERS = 12

interface Container {
  /** Prefix of the container's first line. */
  first: string
  /** Prefix of the container's other lines. */
  rest: string
  started: boolean
  isItem: boolean
}

/** The lines of a Markdown document, with the quotes and list items that are open. */
export class MarkdownBlocks {
  readonly #parts: string[] = []
  readonly #containers: Container[] = []
  #overflow = 0
  #lastWasItem = false

  openQuote(): void {
    this.#open({ first: '> ', rest: '> ', started: false, isItem: false })
  }

  /** @param marker - the marker of the item, such as `-` or `1.` */
  openItem(marker: string): void {
    const first = `${marker} `
    this.#open({ first, rest: ' '.repeat(first.length), started: false, isItem: true })
  }

  /**
   * Continues the previous item of the list.
   *
   * @param width - width of the marker of that item.
   */
  openIndent(width: number): void {
    const indent = ' '.repeat(width)
    this.#open({ first: indent, rest: indent, started: true, isItem: true })
  }

  /** @param label - the label by which `[^label]` refers to the note. */
  openNote(label: number): void {
    this.#open({ first: `[^${label}]: `, rest: '    ', started: false, isItem: true })
  }

  close(): void {
    if (this.#overflow > 0) this.#overflow--
    else this.#containers.pop()
  }

  /**
   * Adds a paragraph or heading. In a paragraph, escapes the starts of lines.
   *
   * @param heading - level of the heading; 0 for a paragraph.
   */
  addText(text: string, heading: number): void {
    if (heading > 0) {
      const line = text.replaceAll(/\s*\n\s*/g, ' ').replace(/#$/, '\\#')
      this.add([`${'#'.repeat(heading)} ${line}`])
    } else this.add(text.split('\n').map(escapeLineStart))
  }

  /** Adds a block whose lines are already Markdown. */
  add(lines: readonly string[]): void {
    const innermost = this.#containers[this.#containers.length - 1]
    const startsItem = innermost?.isItem === true && !innermost.started
    let first = ''
    let rest = ''
    for (const container of this.#containers) {
      first += container.started ? container.rest : container.first
      rest += container.rest
      container.started = true
    }
    if (this.#parts.length > 0) {
      if (startsItem && this.#lastWasItem) this.#parts.push('\n')
      else this.#parts.push('\n', rest.trimEnd(), '\n')
    }
    for (let i = 0; i < lines.length; i++) {
      if (i > 0) this.#parts.push('\n')
      const prefix = i === 0 ? first : rest
      this.#parts.push(lines[i] === '' ? prefix.trimEnd() : prefix, lines[i]!)
    }
    this.#lastWasItem = innermost?.isItem === true
  }

  toString(): string {
    return this.#parts.join('')
  }

  #open(container: Container): void {
    if (this.#containers.length < MAX_CONTAINERS) this.#containers.push(container)
    else this.#overflow++
  }
}
