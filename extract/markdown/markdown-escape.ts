/**
 * Escapes text, so that CommonMark and GFM find no emphasis, links, code, HTML, entities or strikethrough in it. Marks
 * at the start of a line are for {@link escapeLineStart}.
 */
export function escapeInline(text: string, inTable: boolean): string {
  if (!/[\\`*_[\]<&~|]/.test(text)) return text
  return text.replace(/[\\`*_[\]<&~|]/g, (char, at: number) => {
    const [before, next] = [text.charCodeAt(at - 1), text.charCodeAt(at + 1)]
    return mustEscape(char.charCodeAt(0), before, next, inTable) ? `\\${char}` : char
  })
}

/**
 * True if a mark must be escaped.
 *
 * @param before - the unit before the mark in its line. NaN at the beginning of the line.
 * @param next - the unit after the mark. NaN at the end of the line.
 */
export function mustEscape(mark: number, before: number, next: number, inTable: boolean): boolean {
  switch (mark) {
    case 0x5f: // _
      return !(isWordCode(before) && isWordCode(next))
    case 0x3c: // <
      // `</`, `<!`, `<?` and `<` before a letter open tags. A `<` at the end of the text is escaped too, because more
      // text may follow.
      return isLetterCode(next) || next === 0x2f || next === 0x21 || next === 0x3f || Number.isNaN(next)
    case 0x26: // &
      return isLetterCode(next) || next === 0x23 || Number.isNaN(next)
    case 0x7e: // ~
      return next === 0x7e || before === 0x7e || Number.isNaN(next)
    case 0x7c: // |
      return inTable
    default:
      return true
  }
}

/**
 * Escapes the start of a line that would otherwise be a heading, list, quote, rule, fence, table or underline of a
 * heading.
 */
export function escapeLineStart(line: string): string {
  switch (line.charCodeAt(0)) {
    case 0x23: // #
      return /^#{1,6}(?:\s|$)/.test(line) ? `\\${line}` : line
    case 0x2b: // +
      return /^\+(?:\s|$)/.test(line) ? `\\${line}` : line
    case 0x2d: // -
      return /^-(?:[\s|:-]|$)/.test(line) ? `\\${line}` : line
    case 0x3e: // >
    case 0x3d: // =
    case 0x7c: // |
    case 0x7e: // ~
      return `\\${line}`
    case 0x3a: // :
      return line[1] === '-' ? `\\${line}` : line
    default: {
      const code = line.charCodeAt(0)
      return code >= 0x30 && code <= 0x39 ? line.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2') : line
    }
  }
}

/** Returns a code span. Its fence has more backticks than any run in the text. */
export function codeSpan(text: string, inTable: boolean): string {
  const fence = '`'.repeat(longestRun(text, '`') + 1)
  const padding = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  const body = inTable ? text.replaceAll('|', '\\|') : text
  return `${fence}${padding}${body}${padding}${fence}`
}

/** Returns the lines of a fenced code block. Its fence has more backticks than any run in the text. */
export function codeBlock(text: string, language: string): string[] {
  const fence = '`'.repeat(Math.max(3, longestRun(text, '`') + 1))
  return [fence + language, ...text.split('\n'), fence]
}

/** Encodes a URL for use as a link target. */
export function linkTarget(url: string): string {
  return url.replace(/[()\\<>\s|]/g, char => encodeURIComponent(char).replace('(', '%28').replace(')', '%29'))
}

function longestRun(text: string, char: string): number {
  let longest = 0
  let run = 0
  for (let at = text.indexOf(char); at >= 0 && at < text.length; at++) {
    if (text[at] === char) longest = Math.max(longest, ++run)
    else {
      run = 0
      const next = text.indexOf(char, at)
      if (next < 0) break
      at = next - 1
    }
  }
  return longest
}

function isLetterCode(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}

function isWordCode(code: number): boolean {
  return isLetterCode(code) || (code >= 0x30 && code <= 0x39) || code >= 0xc0
}
