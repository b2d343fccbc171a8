import { linkTarget } from './markdown-escape.ts'

type MarkKind = 'strong' | 'emphasis' | 'strike' | 'link'

interface Mark {
  kind: MarkKind
  /** Index in the chunks where the marked text starts. */
  start: number
  url: string
  /** Blocks this mark has been carried over. */
  blocks: number
}

/** A link or emphasis that never ends must not repeat on every block of the page. */
const MAX_CARRIED_BLOCKS = 3

const fences = { strong: '**', emphasis: '*', strike: '~~' } as const

/** The text of one block in the making: escaped runs, with emphasis and links around stretches of them. */
export class MarkdownInline {
  #chunks: string[] = []
  readonly #marks: Mark[] = []
  #endsWithSpace = true

  /** Adds escaped text whose white space is collapsed. */
  text(text: string): void {
    const piece = this.#endsWithSpace && text.startsWith(' ') ? text.slice(1) : text
    if (piece === '') return
    this.#chunks.push(piece)
    this.#endsWithSpace = piece.endsWith(' ')
  }

  /** Adds markdown as it is, such as a code span or an image. */
  raw(markdown: string): void {
    this.#chunks.push(markdown)
    this.#endsWithSpace = false
  }

  space(): void {
    this.text(' ')
  }

  lineBreak(): void {
    this.#chunks.push('  \n')
    this.#endsWithSpace = true
  }

  /** Opens a mark; false when one of the kind is open already, and then there is nothing to close. */
  open(kind: MarkKind, url = ''): boolean {
    if (this.#marks.some(mark => mark.kind === kind)) return false
    this.#marks.push({ kind, start: this.#chunks.length, url, blocks: 0 })
    return true
  }

  close(kind: MarkKind): void {
    const at = this.#marks.findLastIndex(mark => mark.kind === kind)
    if (at < 0) return
    // Misnested marks end with the one around them.
    for (const mark of this.#marks.splice(at).reverse()) this.#wrap(mark)
  }

  /** Takes the block's markdown and starts a new one; open marks go on in it. */
  take(): string {
    const carried = this.#marks.splice(0)
    for (const mark of [...carried].reverse()) this.#wrap(mark)
    const text = this.#chunks.join('').replace(/^\s+/, '').trimEnd()
    this.#chunks = []
    this.#endsWithSpace = true
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
    // `**a****b**` would not close: two stretches that touch become one.
    if (before?.endsWith(fence) && before.startsWith(fence) && before.length > fence.length * 2) {
      this.#chunks.pop()
      return before.slice(0, -fence.length) + body + fence
    }
    return fence + body + fence
  }
}
