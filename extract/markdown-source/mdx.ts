/** Maximum length of an expression or tag, UTF-16 units. If it is longer, it is text. */
const MAX_MDX_UNITS = 64 * 1024
/** Maximum number of expressions and tags without an end. After that, all further ones are text. */
const MAX_UNTERMINATED = 100
/** Maximum length of a code span that is recognized, UTF-16 units. */
const MAX_CODE_SPAN_UNITS = 1000

const fenceLine = /^ {0,3}(`{3,}|~{3,})/
/** Matches the start of a tag that may be removed: a component (`<Tabs`, `<motion.div`) or a fragment (`<>`). */
const tagName = /\/?(?:[A-Za-z_$][\w$-]*(?:\.[\w$-]+)*(?=[\s/>{])|(?=>))/y

/**
 * Removes the parts of MDX that are not Markdown: imports, exports, tags of components, and expressions in braces. An
 * expression that is a string literal becomes text. Parts without an end stay. The time is linear.
 *
 * @param source - text with `\n` as line breaks.
 */
export function mdxToMarkdown(source: string): string {
  return new MdxReader(source).read()
}

class MdxReader {
  readonly #source: string
  #at = 0
  #written: string[] = []
  #unterminated = 0

  constructor(source: string) {
    this.#source = source
  }

  read(): string {
    let isBlockStart = true
    while (this.#at < this.#source.length) {
      const line = this.#lineAt(this.#at)
      const fence = fenceLine.exec(line)?.[1]
      if (fence !== undefined) {
        this.#copyFence(fence)
        isBlockStart = true
      } else if (isBlockStart && /^(?:import|export)\b/.test(line)) {
        this.#skipModuleCode()
      } else {
        isBlockStart = line.trim() === ''
        this.#copyLine()
      }
    }
    return this.#written.join('')
  }

  /** Returns the line at an offset, without its line feed. */
  #lineAt(at: number): string {
    const end = this.#source.indexOf('\n', at)
    return this.#source.slice(at, end < 0 ? undefined : end)
  }

  /** Returns the offset after the next line feed. */
  #afterLine(at: number): number {
    const end = this.#source.indexOf('\n', at)
    return end < 0 ? this.#source.length : end + 1
  }

  #copyTo(end: number): void {
    this.#written.push(this.#source.slice(this.#at, end))
    this.#at = end
  }

  #copyFence(fence: string): void {
    for (let isFirst = true; this.#at < this.#source.length; isFirst = false) {
      const line = this.#lineAt(this.#at)
      this.#copyTo(Math.min(this.#at + line.length + 1, this.#source.length))
      if (!isFirst && line.trimStart().startsWith(fence) && /^[ \t]*[`~]+[ \t]*$/.test(line)) return
    }
  }

  /** Skips a block of imports and exports, which ends at the first empty line outside of brackets. */
  #skipModuleCode(): void {
    let at = this.#at
    let next = at
    while (at < this.#source.length) {
      if (at >= next) {
        if (at > this.#at && this.#lineAt(at).trim() === '') break
        next = this.#afterLine(at)
      }
      const opening = this.#source.slice(at, next).search(/[{([`]/)
      const close = opening < 0 ? undefined : this.#balancedEnd(at + opening)
      if (close !== undefined && close > next) next = this.#afterLine(close)
      at = close ?? next
    }
    this.#at = at
  }

  /** Copies the rest of a line without its expressions and tags, which may end on a later line. */
  #copyLine(): void {
    const { length } = this.#source
    const parts: string[] = []
    let from = this.#at
    const skip = (end: number, text: string) => {
      parts.push(this.#source.slice(from, this.#at), text)
      this.#at = end
      from = end
    }
    while (this.#at < length) {
      const unit = this.#source[this.#at]
      if (unit === '\n') {
        this.#at++
        break
      }
      if (unit === '\\' && this.#source[this.#at + 1] !== '\n') this.#at = Math.min(this.#at + 2, length)
      else if (unit === '`') this.#at = this.#codeEnd(this.#at)
      else if (unit === '{') {
        const end = this.#balancedEnd(this.#at)
        if (end === undefined) this.#at++
        else skip(end, literalIn(this.#source.slice(this.#at + 1, end - 1)))
      } else if (unit === '<') {
        const tag = this.#tagAt(this.#at)
        if (tag?.isComponent) skip(tag.end, '')
        else this.#at = tag?.end ?? this.#at + 1
      } else this.#at++
    }
    parts.push(this.#source.slice(from, this.#at))
    this.#writeLine(parts.join(''))
  }

  /** Writes a line of text. Joins consecutive empty lines, which removed tags leave. */
  #writeLine(line: string): void {
    if (line.trim() !== '') this.#written.push(line)
    else if (this.#written.length > 0 && this.#written.at(-1) !== '\n') this.#written.push('\n')
  }

  /** Returns the end of the code span at `at`. If there is none, returns the end of the backticks. */
  #codeEnd(at: number): number {
    const [ticks = '`'] = /^`+/.exec(this.#source.slice(at, at + MAX_CODE_SPAN_UNITS)) ?? []
    const rest = this.#source.slice(at + ticks.length, at + ticks.length + MAX_CODE_SPAN_UNITS)
    const paragraph = rest.split(/\n[ \t]*\n/, 1)[0] ?? ''
    for (const close of paragraph.matchAll(/`+/g))
      if (close[0].length === ticks.length) return at + ticks.length + close.index + ticks.length
    return at + ticks.length
  }

  /**
   * Returns the tag at an offset, if it must be removed: it is a component, or contains an expression. Undefined for
   * HTML.
   */
  #tagAt(start: number): { end: number; isComponent: boolean } | undefined {
    tagName.lastIndex = start + 1
    const [name] = tagName.exec(this.#source) ?? []
    if (name === undefined || this.#unterminated >= MAX_UNTERMINATED) return undefined
    let isComponent = !/^\/?[a-z][a-z0-9-]*$/.test(name)
    const last = Math.min(this.#source.length, start + MAX_MDX_UNITS)
    for (let at = tagName.lastIndex; at < last; at++) {
      const unit = this.#source[at]
      if (unit === '>') return { end: at + 1, isComponent }
      if (unit === '"' || unit === "'") {
        const close = this.#indexOf(unit, at + 1, last)
        if (close === undefined) break
        at = close
      } else if (unit === '{') {
        const end = this.#balancedEnd(at)
        if (end === undefined) break
        isComponent = true
        at = end - 1
      } else if (unit === '<') break
    }
    this.#unterminated++
    return undefined
  }

  /** Returns the offset after the bracket that closes the one at `start`. Ignores brackets in strings and comments. */
  #balancedEnd(start: number): number | undefined {
    if (this.#unterminated >= MAX_UNTERMINATED) return undefined
    const last = Math.min(this.#source.length, start + MAX_MDX_UNITS)
    let depth = 0
    for (let at = start; at < last; at++) {
      const unit = this.#source[at] as string
      if (unit === '\\') at++
      else if ('{(['.includes(unit)) depth++
      else if ('})]'.includes(unit)) depth--
      else if ('"\'`'.includes(unit)) at = this.#stringEnd(at, last)
      else if (unit === '/' && '/*'.includes(this.#source[at + 1] ?? ' ')) at = this.#commentEnd(at, last)
      if (depth === 0 && at < last) return at + 1
    }
    this.#unterminated++
    return undefined
  }

  /**
   * Returns the offset of the quotation mark that ends a string; `last` for a template literal without an end. Returns
   * `start` if the mark begins no string, like the apostrophe in `don't`, because the line has no second one.
   */
  #stringEnd(start: number, last: number): number {
    const quote = this.#source[start]
    for (let at = start + 1; at < last; at++) {
      const unit = this.#source[at]
      if (unit === '\\') at++
      else if (unit === quote) return at
      else if (unit === '\n' && quote !== '`') return start
    }
    return quote === '`' ? last : start
  }

  /** Returns the offset of a comment's last unit; `last` if the comment has no end. */
  #commentEnd(start: number, last: number): number {
    const isLine = this.#source[start + 1] === '/'
    const end = this.#indexOf(isLine ? '\n' : '*/', start + 2, last)
    return end === undefined ? last : isLine ? end : end + 1
  }

  /** Returns the first offset of a text between two offsets. */
  #indexOf(text: string, from: number, last: number): number | undefined {
    const index = this.#source.slice(from, last).indexOf(text)
    return index < 0 ? undefined : from + index
  }
}

/** Returns the string in an expression that is a string literal, such as `{' '}`; '' for other expressions. */
function literalIn(expression: string): string {
  const [, , text = ''] = /^\s*(["'`])([^"'`\\${}]*)\1\s*$/.exec(expression) ?? []
  return text
}
