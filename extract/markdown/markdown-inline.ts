import { linkTarget } from './markdown-escape.ts'

type MarkKind = 'strong' | 'emphasis' | 'strike' | 'link'

interface Mark {
  kind: MarkKind
  /** Index in `#chunks` at which the marked text starts. */
  start: number
  url: string
  /** Number of blocks into which the mark was continued. */
  blocks: number
}

/**
 * Maximum number of blocks into which an unclosed mark continues. Without a limit, one unclosed link or emphasis would
 * mark the whole page.
 */
const MAX_CARRIED_BLOCKS = 3

const LINE_BREAK = '  \n'
const fences = { strong: '**', emphasis: '*', strike: '~~' } as const

/** Builds the Markdown of one block: escaped text, with emphasis and links. */
export class MarkdownInline {
  #chunks: string[] = []
  readonly #marks: Mark[] = []
  #endsWithSpace = true
  #label = ''

  /** Adds text. Escapes it and collapses its white space. */
  text(text: string): void {
    const piece = this.#endsWithSpace && text.startsWith(' ') ? text.slice(1) : text
    if (piece === '') return
    this.#chunks.push(piece)
    this.#endsWithSpace = piece.endsWith(' ')
  }

  /** Begins the text of an item with a label, such as `[x]`. */
  label(label: string): void {
    this.#label = label
    this.text(label)
  }

  /** True if the block has only the label of its item so far. The first paragraph of the item then continues the block. */
  get isLabelOnly(): boolean {
    return this.#label !== '' && this.#chunks.join('').trim() === this.#label.trim()
  }

  /** Adds Markdown, such as a code span or an image. */
  raw(markdown: string): void {
    this.#chunks.push(markdown)
    this.#endsWithSpace = false
  }

  space(): void {
    this.text(' ')
  }

  lineBreak(): void {
    this.#chunks.push(LINE_BREAK)
    this.#endsWithSpace = true
  }

  /** True if the last thing in the block is a line break. */
  get endsLine(): boolean {
    return this.#chunks.at(-1) === LINE_BREAK
  }

  get endsWithDigit(): boolean {
    return /\p{N}$/u.test(this.#chunks.at(-1)?.slice(-2) ?? '')
  }

  /** Opens a mark. Does nothing and returns false if a mark of this kind is open. */
  open(kind: MarkKind, url = ''): boolean {
    if (this.#marks.some(mark => mark.kind === kind)) return false
    this.#marks.push({ kind, start: this.#chunks.length, url, blocks: 0 })
    return true
  }

  close(kind: MarkKind): void {
    const at = this.#marks.findLastIndex(mark => mark.kind === kind)
    if (at < 0) return
    // Marks that were opened after this one end here too.
    for (const mark of this.#marks.splice(at).reverse()) this.#wrap(mark)
  }

  /** Returns the Markdown of the block and starts a new one. Open marks continue in the new block. */
  take(): string {
    const carried = this.#marks.splice(0)
    for (const mark of [...carried].reverse()) this.#wrap(mark)
    const text = this.#chunks.join('').replace(/^\s+/, '').trimEnd()
    this.#chunks = []
    this.#endsWithSpace = true
    this.#label = ''
    for (const mark of carried) {
      if (text !== '') mark.blocks++
      mark.start = 0
      if (mark.blocks <= MAX_CARRIED_BLOCKS) this.#marks.push(mark)
    }
    return text
  }

  #wrap(mark: Mark): void {
    if (mark.start >= this.#chunks.length) return
    const inner = this.#chunks.splice(mark.start).join('')
    const body = inner.trim()
    if (body === '') {
      this.#chunks.push(inner)
      return
    }
    if (inner.trimStart() !== inner) this.#chunks.push(' ')
    if (mark.kind === 'link') {
      this.#chunks.push(`[${body.replaceAll(/\s*\n\s*/g, ' ')}](${linkTarget(mark.url)})`)
    } else this.#chunks.push(this.#fenced(body, fences[mark.kind]))
    if (inner.trimEnd() !== inner) this.#chunks.push(' ')
    this.#endsWithSpace = inner.trimEnd() !== inner
  }

  #fenced(body: string, fence: string): string {
    const before = this.#chunks[this.#chunks.length - 1]
    if (body.includes('\n')) return body
    // `**a****b**` would be wrong Markdown, so the two adjacent parts become one.
    if (before?.endsWith(fence) && before.startsWith(fence) && before.length > fence.length * 2) {
      this.#chunks.pop()
      return before.slice(0, -fence.length) + body + fence
    }
    return fence + body + fence
  }
}
