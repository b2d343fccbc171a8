import { unitClasses, WORD } from '../characters/char-table.ts'
import { GAP, isBlank, NEWLINE, SPACE, type UnitBuffer } from '../characters/unit-buffer.ts'
import { readEntity, tagEffect } from './html-in-text.ts'
import { normalLabel, skipBlanks } from './markdown-lines.ts'

/** Marks that may open markup: a run of `*`, `_` or `~`, or a `[`. */
interface Opener {
  /** Offset in the output. */
  written: number
  /** Offset in the source. */
  source: number
  /** Number of marks in the run that are not matched yet. */
  marks: number
}

const BACKSLASH = 0x5c
/** 1 for each ASCII character that may begin markup or needs other treatment in the output. */
const special = new Uint8Array(128)
for (const char of '\0\u0001\\`*_~[]<&|') special[char.charCodeAt(0)] = 1

const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
/** Maximum length of a run of backticks that opens code. The limit keeps the search for closing runs linear. */
const MAX_BACKTICKS = 32
/** Elements whose content readers do not see. */
const RAW_ELEMENTS = new Set(['script', 'style'])
/**
 * Maximum number of units that may be read in vain, per unit of the text. A read is in vain if it searches for the end of a link or tag
 * and finds none. Most texts need less than one per unit. The limit keeps the time linear for a hostile text with many unclosed links or
 * tags. When it is reached, all further links and tags are written unchanged.
 */
const VAIN_READS_PER_UNIT = 8

/**
 * Writes the part of a line that a reader sees. Marks that may open markup are written at first, and erased when their
 * closing marks are found.
 */
export class InlineScanner {
  readonly #text: string
  readonly #out: UnitBuffer
  readonly #labels: ReadonlySet<string>
  /** Open brackets of the current block, innermost last. */
  #brackets: Opener[] = []
  /** Open runs of emphasis in the current block by their character, innermost last. */
  #emphases = new Map<string, Opener[]>()
  /** Remaining number of units that searches for the end of a link or tag may read in vain. */
  #vainReads: number
  /** No comment that begins at this offset or later has an end. */
  #noCommentFrom = Number.POSITIVE_INFINITY
  /** No script or style element that begins at this offset or later has an end. */
  #noRawEndFrom = Number.POSITIVE_INFINITY

  constructor(text: string, out: UnitBuffer, labels: ReadonlySet<string>) {
    this.#text = text
    this.#out = out
    this.#labels = labels
    this.#vainReads = VAIN_READS_PER_UNIT * text.length
  }

  /** Drops open emphasis and brackets, because markup does not extend beyond its block. */
  endBlock(): void {
    if (this.#brackets.length > 0) this.#brackets = []
    if (this.#emphases.size > 0) this.#emphases.clear()
  }

  /**
   * Writes the content `[from, end)`.
   *
   * @param pipes - true if `|` separates table cells.
   * @returns the offset where reading stopped: `end`, or a later one if an HTML tag or comment extends beyond `end`.
   */
  scan(from: number, end: number, pipes: boolean): number {
    const text = this.#text
    const out = this.#out
    const lineStart = from
    // Lengths of backtick runs that have no equal run in the rest of the line.
    let unmatched: Set<number> | undefined
    let at = from
    while (at < end) {
      // The fast path: most characters are no markup.
      const { units } = out
      let { length } = out
      let unit = text.charCodeAt(at)
      while (unit >= 128 || special[unit] === 0) {
        units[length++] = unit
        if (++at === end) break
        unit = text.charCodeAt(at)
      }
      out.length = length
      if (at === end) break
      switch (text[at]) {
        case '\\':
          at = this.#escape(at, end)
          break
        case '`': {
          const after = runEnd(text, at, end)
          const hopeless = after - at > MAX_BACKTICKS || unmatched?.has(after - at)
          const close = hopeless ? -1 : matchingRun(text, after, end, after - at)
          if (close < 0) {
            unmatched ??= new Set()
            unmatched.add(after - at)
            out.pushText(text, at, after)
            at = after
          } else {
            out.pushText(text, after, close)
            at = close + after - at
          }
          break
        }
        case '*':
        case '_':
        case '~':
          at = this.#emphasis(at, lineStart, end)
          break
        case '[':
          this.#brackets.push({ written: out.length, source: at, marks: 1 })
          out.push(unit)
          at++
          break
        case ']':
          at = this.#closeBracket(at, end)
          break
        case '|':
          out.push(pipes ? SPACE : unit)
          at++
          break
        case '<':
          at = this.#angle(at)
          break
        case '&': {
          const entity = readEntity(text, at)
          if (entity) {
            for (const char of String.fromCodePoint(entity.codePoint))
              for (let i = 0; i < char.length; i++) out.push(char.charCodeAt(i))
            at = entity.end
          } else {
            out.push(unit)
            at++
          }
          break
        }
        default: // U+0000 and U+0001. They would mean ERASED and GAP in the output.
          out.push(SPACE)
          at++
      }
    }
    return at
  }

  #escape(at: number, end: number): number {
    const escaped = at + 1 < end ? this.#text[at + 1]! : undefined
    if (escaped !== undefined && PUNCTUATION.includes(escaped)) {
      this.#out.push(escaped.charCodeAt(0))
      return at + 2
    }
    // A backslash at the end of a line is a hard break.
    this.#out.push(at + 1 === end ? SPACE : BACKSLASH)
    return at + 1
  }

  #emphasis(at: number, lineStart: number, end: number): number {
    const text = this.#text
    const mark = text[at]!
    const after = runEnd(text, at, end)
    const before = at > lineStart ? text.charCodeAt(at - 1) : SPACE
    const next = after < end ? text.charCodeAt(after) : SPACE
    const insideWord = isWord(before) && isWord(next)
    const literal =
      (mark === '_' && insideWord) ||
      (mark === '~' && after - at !== 2) ||
      (mark === '*' && isDigit(before) && isDigit(next))
    let marks = after - at
    const stack = this.#emphases.get(mark)
    if (!literal && !isBlank(before) && stack) {
      for (let opener = stack.at(-1); opener && marks > 0; opener = stack.at(-1)) {
        for (; opener.marks > 0 && marks > 0; marks--) this.#out.erase(opener.written + --opener.marks)
        if (opener.marks === 0) stack.pop()
      }
    }
    if (marks > 0 && !literal && !isBlank(next)) {
      const opener = { written: this.#out.length, source: at, marks }
      if (stack) stack.push(opener)
      else this.#emphases.set(mark, [opener])
    }
    this.#out.pushText(text, after - marks, after)
    return after
  }

  #closeBracket(at: number, end: number): number {
    const text = this.#text
    const opener = this.#brackets.pop()
    const linkEnd = opener ? this.#linkEnd(opener, at, end) : -1
    if (opener === undefined || linkEnd < 0) {
      this.#out.push(text.charCodeAt(at))
      return at + 1
    }
    const { units } = this.#out
    units[opener.written] = GAP
    const bang = opener.written - 1
    const isImage =
      bang >= 0 && units[bang] === 0x21 && text[opener.source - 1] === '!' && text[opener.source - 2] !== '\\'
    if (isImage) units[bang] = GAP
    this.#out.push(GAP)
    return linkEnd
  }

  /** Returns the end of the link whose text ends at `close`; −1 if it is no link. */
  #linkEnd(opener: Opener, close: number, end: number): number {
    const text = this.#text
    const next = text[close + 1]
    if (next === '(' && close + 1 < end && this.#vainReads > 0) {
      const stop = destinationEnd(text, close + 1, end)
      if (stop > 0) return stop
      this.#vainReads -= -stop - close
    }
    if (this.#labels.size === 0 || close - opener.source > 1000) return -1
    const own = normalLabel(text.slice(opener.source + 1, close))
    if (next === '[' && close + 1 < end) {
      const labelEnd = text.indexOf(']', close + 2)
      if (labelEnd >= 0 && labelEnd < end && labelEnd - close <= 1000) {
        const label = normalLabel(text.slice(close + 2, labelEnd))
        if (this.#labels.has(label === '' ? own : label)) return labelEnd + 1
      }
    }
    return this.#labels.has(own) ? close + 1 : -1
  }

  /** Reads the tag, comment or autolink at `at`. If there is none, writes the `<`. */
  #angle(at: number): number {
    const text = this.#text
    if (text.startsWith('<!--', at)) {
      const close = at >= this.#noCommentFrom ? -1 : text.indexOf('-->', at + 4)
      if (close >= 0) return this.#dropped(close + 3, GAP)
      this.#noCommentFrom = Math.min(this.#noCommentFrom, at)
    }
    const closing = text[at + 1] === '/'
    const nameStart = closing ? at + 2 : at + 1
    let nameEnd = nameStart
    while (nameEnd - nameStart <= 64 && isNameUnit(text.charCodeAt(nameEnd))) nameEnd++
    const next = text[nameEnd]
    if (nameEnd > nameStart && (next === ':' || next === '@') && !closing) return this.#autolink(at)
    const name = text.slice(nameStart, nameEnd)
    const effect = nameEnd > nameStart && next !== undefined && '/> \t\r\n'.includes(next) ? tagEffect(name) : undefined
    if (effect !== undefined && this.#vainReads > 0) {
      const stop = tagEnd(text, nameEnd)
      if (stop > 0) {
        const lower = name.toLowerCase()
        const raw = RAW_ELEMENTS.has(lower) && !closing ? this.#rawEnd(stop, lower) : stop
        return effect === 'joins' ? raw : this.#dropped(raw, effect === 'breaks' ? NEWLINE : GAP)
      }
      this.#vainReads -= -stop - at
    }
    this.#out.push(text.charCodeAt(at))
    return at + 1
  }

  /** Writes the UTF-16 unit `trace` instead of markup that ends at `end`. Returns `end`. */
  #dropped(end: number, trace: number): number {
    this.#out.push(trace)
    return end
  }

  /**
   * Writes the address in `<https://example.com/>` or `<someone@example.com>`. Returns the offset after the address.
   */
  #autolink(at: number): number {
    const text = this.#text
    let end = at + 1
    while (
      end < text.length &&
      end - at <= 2048 &&
      text[end] !== '>' &&
      text[end] !== '<' &&
      text.charCodeAt(end) > SPACE
    )
      end++
    if (text[end] !== '>') {
      this.#out.push(text.charCodeAt(at))
      return at + 1
    }
    this.#out.push(GAP)
    this.#out.pushText(text, at + 1, end)
    this.#out.push(GAP)
    return end + 1
  }

  /**
   * Returns the end of the closing tag for a script or style element whose content begins at `from`; `from` if there is
   * none.
   */
  #rawEnd(from: number, name: string): number {
    const text = this.#text
    if (from >= this.#noRawEndFrom) return from
    for (let at = text.indexOf('</', from); at >= 0; at = text.indexOf('</', at + 2)) {
      if (text.slice(at + 2, at + 2 + name.length).toLowerCase() !== name) continue
      const close = text.indexOf('>', at)
      if (close >= 0) return close + 1
      break
    }
    this.#noRawEndFrom = from
    return from
  }
}

/** Returns the end of the run of equal characters that begins at `from`. */
function runEnd(text: string, from: number, end: number): number {
  let at = from
  while (at < end && text[at] === text[from]) at++
  return at
}

/** Returns the start of the next run of exactly `length` backticks; −1 if there is none in the line. */
function matchingRun(text: string, from: number, end: number, length: number): number {
  for (let at = from; at < end; ) {
    if (text[at] !== '`') at++
    else {
      const after = runEnd(text, at, end)
      if (after - at === length) return at
      at = after
    }
  }
  return -1
}

/**
 * Reads `(destination "title")` with the opening parenthesis at `open`.
 *
 * @returns the offset after it. If it is invalid, returns minus the offset where reading stopped.
 */
function destinationEnd(text: string, open: number, end: number): number {
  let at = skipBlanks(text, open + 1, end)
  if (text[at] === '<' && at < end) {
    at++
    while (at < end && text[at] !== '>' && text[at] !== '<') at += text[at] === '\\' ? 2 : 1
    if (at >= end || text[at] !== '>') return -at
    at++
  } else {
    let depth = 0
    while (at < end && text.charCodeAt(at) > SPACE) {
      if (text[at] === '(') depth++
      else if (text[at] === ')' && depth-- === 0) break
      at += text[at] === '\\' ? 2 : 1
    }
  }
  at = skipBlanks(text, at, end)
  const quote = at < end ? text[at] : undefined
  if (quote === '"' || quote === "'" || quote === '(') {
    at++
    const close = quote === '(' ? ')' : quote
    while (at < end && text[at] !== close) at += text[at] === '\\' ? 2 : 1
    at = skipBlanks(text, at + 1, end)
  }
  return at < end && text[at] === ')' ? at + 1 : -Math.min(at, end)
}

/**
 * Reads the rest of a tag. Returns the offset after its `>`. If the tag is invalid, returns minus the offset where
 * reading stopped.
 */
function tagEnd(text: string, from: number): number {
  let quote: string | undefined
  for (let at = from; at < text.length; at++) {
    const char = text[at]!
    if (quote !== undefined) {
      if (char === quote) quote = undefined
      else if (char === '\n' && text[at + 1] === '\n') return -at
    } else if (char === '>') return at + 1
    else if (char === '<') return -at
    else if (char === '"' || char === "'") quote = char
  }
  return -text.length
}

function isNameUnit(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || isDigit(unit) || (unit >= 0x2b && unit <= 0x2e)
  )
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

function isWord(unit: number): boolean {
  return unitClasses[unit] === WORD
}
