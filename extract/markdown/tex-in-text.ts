/** A part of a text: words, or a formula whose TeX source is between delimiters. */
export interface TextPart {
  text: string
  isFormula: boolean
  /** True for a formula on a line of its own. */
  isDisplay: boolean
}

const MAX_FORMULA_CHARS = 2000
const closings = new Map([
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['$$', '$$'],
  ['$', '$'],
])
const opening = /\\[([]|\$\$?/g
/** Matches what only TeX has. Without it, `$5` is an amount and `\(` belongs to a pattern. */
const texSign = /\\[a-zA-Z]|[\^_{}]/

/**
 * Splits a text at the formulas that scripts of the page render: `\(…\)`, `\[…\]`, `$$…$$` and `$…$`, as MathJax and
 * KaTeX find them. Its time is linear.
 */
export function splitTex(text: string): TextPart[] {
  if (!text.includes('$') && !text.includes('\\(') && !text.includes('\\[')) return [words(text)]
  const parts: TextPart[] = []
  /** The next place of each closing delimiter, so that each is searched for once. */
  const next = new Map<string, number>()
  let from = 0
  opening.lastIndex = 0
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const [open] = match
    const close = closings.get(open)!
    const start = match.index + open.length
    let end = next.get(close) ?? 0
    if (end >= 0 && end < start) {
      end = text.indexOf(close, start)
      next.set(close, end)
    }
    if (end < 0 || end - start > MAX_FORMULA_CHARS) continue
    const source = text.slice(start, end)
    if (!isTex(source, open, text[end + 1])) continue
    if (match.index > from) parts.push(words(text.slice(from, match.index)))
    parts.push({ text: source, isFormula: true, isDisplay: open === '$$' || open === '\\[' })
    from = end + close.length
    opening.lastIndex = from
  }
  if (from < text.length) parts.push(words(text.slice(from)))
  return parts
}

function words(text: string): TextPart {
  return { text, isFormula: false, isDisplay: false }
}

function isTex(source: string, open: string, after: string | undefined): boolean {
  if (/\n[^\S\n]*\n/.test(source)) return false
  if (open === '$') return /^[^\s{](?:.*\S)?$/s.test(source) && texSign.test(source) && !/^\d$/.test(after ?? '')
  return texSign.test(source) || (open.startsWith('\\') && /^\s*[a-zA-Z0-9]\s*$/.test(source))
}
