import { Tokenizer } from 'htmlparser2'

/** Private members of htmlparser2's tokenizer that the faster search uses. A test checks that they exist. */
interface Scanner {
  buffer: string
  /** Offset of the current character in the input. */
  index: number
  /** Offset of the buffer in the input. */
  offset: number
  fastForwardTo(code: number): boolean
  stateInTagName(code: number): void
  stateInClosingTagName(code: number): void
  stateInAttributeName(code: number): void
  stateBeforeAttributeName(code: number): void
}

type OpenTokenizer = new (
  ...parameters: ConstructorParameters<typeof Tokenizer>
) => Scanner & Pick<Tokenizer, 'write' | 'end'>

/**
 * htmlparser2's tokenizer with twice the speed. It finds the ends of texts, values, comments and scripts with
 * `String.indexOf`, and the ends of names and white space in a short loop, instead of running a state machine for each
 * character. It does not decode entities.
 */
export class HtmlTokenizer extends (Tokenizer as unknown as OpenTokenizer) {
  /** @param recognizeSelfClosing - true if `<title/>` is a whole element, as in XML. Default: its text follows, as in HTML. */
  constructor(callbacks: ConstructorParameters<typeof Tokenizer>[1], recognizeSelfClosing = false) {
    super({ decodeEntities: false, recognizeSelfClosing }, callbacks)
  }

  override fastForwardTo(code: number): boolean {
    const at = this.buffer.indexOf(String.fromCharCode(code), this.index - this.offset + 1)
    // If the character is not found, the current position becomes the last character of the buffer. `parse` then
    // continues after it.
    this.index = this.offset + (at < 0 ? this.buffer.length - 1 : at)
    return at >= 0
  }

  override stateInTagName(code: number): void {
    super.stateInTagName(this.#afterName(code))
  }

  override stateInClosingTagName(code: number): void {
    super.stateInClosingTagName(this.#afterName(code))
  }

  override stateInAttributeName(code: number): void {
    super.stateInAttributeName(this.#afterName(code))
  }

  override stateBeforeAttributeName(code: number): void {
    let next = code
    while (isSpace(next) && this.index - this.offset < this.buffer.length - 1) next = this.#step()
    super.stateBeforeAttributeName(next)
  }

  /** Moves to the next character that can end a name, or to the last one of the buffer, and returns it. */
  #afterName(code: number): number {
    let next = code
    while (isInName(next) && this.index - this.offset < this.buffer.length - 1) next = this.#step()
    return next
  }

  #step(): number {
    this.index++
    return this.buffer.charCodeAt(this.index - this.offset)
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code <= 0x0d && code >= 0x09 && code !== 0x0b)
}

/** True if a character can be part of a tag or attribute name. */
function isInName(code: number): boolean {
  return code !== 0x2f && code !== 0x3d && code !== 0x3e && !isSpace(code)
}
