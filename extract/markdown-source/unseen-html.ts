/** Matches what may begin or end code, or HTML that readers do not see. */
const marks = /^ {0,3}(`{3,}|~{3,})[^\n]*|^(?: {4}|\t)[^\n]*|\\[\\`<]|`+|<!--|<(script|style)(?=[\s>/])/gim

/** Maximum length of a code span that is recognized, UTF-16 units. */
const MAX_CODE_SPAN_UNITS = 1000

/**
 * Removes comments, scripts and styles from Markdown, outside of code. Those without an end stay. The time is linear.
 *
 * @param source - text with `\n` as line breaks.
 */
export function withoutUnseenHtml(source: string): string {
  if (!/<!--|<script|<style/i.test(source)) return source
  const ends = new Ends(source)
  const parts: string[] = []
  let written = 0
  let at = 0
  marks.lastIndex = 0
  for (let found = next(source, at); found; found = next(source, at)) {
    const [mark, fence, raw] = found
    at = found.index + mark.length
    if (fence !== undefined) at = fenceEnd(source, at, fence)
    else if (mark.startsWith('`')) at = ends.ofCode(at, mark)
    else if (mark === '<!--' || raw !== undefined) {
      const end = raw === undefined ? ends.after('-->', at) : ends.ofElement(raw.toLowerCase(), at)
      if (end < 0) continue
      parts.push(source.slice(written, found.index))
      // A paragraph that is removed takes the empty lines after it along.
      const isParagraph = found.index === 0 || source[found.index - 1] === '\n'
      written = isParagraph ? end + (/^[ \t]*\n\n*/.exec(source.slice(end, end + 200))?.[0].length ?? 0) : end
      at = written
    }
  }
  return parts.join('') + source.slice(written)
}

function next(source: string, from: number): RegExpExecArray | null {
  marks.lastIndex = from
  return marks.exec(source)
}

/** Returns the offset after the line that closes a fence; the end of the source if there is none. */
function fenceEnd(source: string, from: number, fence: string): number {
  for (let at = source.indexOf('\n', from); at >= 0; at = source.indexOf('\n', at + 1)) {
    const line = /^[ ]{0,3}([`~]+)[ \t]*(?:\n|$)/.exec(source.slice(at + 1, at + 200))
    if (line?.[1]?.startsWith(fence)) return at + 1 + line[0].length
  }
  return source.length
}

/**
 * Finds the ends of code, comments and elements. Remembers the ends that do not occur again, so that each is searched for in vain only
 * once.
 */
class Ends {
  readonly #source: string
  readonly #lower: string
  readonly #missing = new Set<string>()

  constructor(source: string) {
    this.#source = source
    this.#lower = source.replace(/[A-Z]/g, letter => letter.toLowerCase())
  }

  /** Returns the offset after the next occurrence of a text in lower case; -1 if there is none. */
  after(text: string, from: number): number {
    const at = this.#missing.has(text) ? -1 : this.#lower.indexOf(text, from)
    if (at < 0) this.#missing.add(text)
    return at < 0 ? -1 : at + text.length
  }

  ofElement(name: string, from: number): number {
    const end = this.after(`</${name}`, from)
    return end < 0 ? -1 : this.after('>', end)
  }

  /** Returns the offset after a code span, or `from` if the run of backticks before it opens none (CommonMark 6.1). */
  ofCode(from: number, run: string): number {
    const paragraph = this.#source.slice(from, from + MAX_CODE_SPAN_UNITS).split(/\n[ \t]*\n/, 1)[0] ?? ''
    for (const { 0: other, index } of paragraph.matchAll(/`+/g)) if (other === run) return from + index + other.length
    return from
  }
}
