/** An element in a citation or another sequence. */
export interface CitationPart {
  name: string
  /** Position of the sign before the part in the output. */
  at: number
}

/**
 * Writes the signs between the parts of a sequence.
 *
 * @param blanks - positions of white space that is left out.
 * @param how.isMixed - true if the sequence has text between its parts, and so its own punctuation.
 * @param how.sign - the sign between the parts; '' for the signs of a citation, which depend on the parts.
 */
export function joinParts(
  out: string[],
  parts: readonly CitationPart[],
  blanks: readonly number[],
  { isMixed, sign }: { isMixed: boolean; sign: string },
): void {
  for (const at of blanks) out[at] = ''
  for (const [number, { name, at }] of parts.entries()) {
    const before = parts[number - 1]
    if (!before) continue
    if (isMixed) {
      // The citation has its own punctuation. A space is written only between parts, such as names and dates, that have nothing between
      // them.
      if (before.at + 1 < at && isPart(before.name) && isPart(name) && endsWithTag(out, before.at, at)) out[at] = ' '
    } else out[at] = name === 'refpurpose' ? ' — ' : sign || signBetween(before.name, name)
  }
  if (!isMixed && parts.at(-1)?.name === 'issue') out.push(')')
}

const typographic =
  /^(?:italic|bold|sup|sub|sc|underline|styled-content|emphasis|superscript|subscript|xref|ext-link|uri)$/

function isPart(name: string): boolean {
  return !typographic.test(name)
}

/** True if the first of two parts is all there is between their positions, and ends with a letter or a digit. */
function endsWithTag(out: readonly string[], from: number, to: number): boolean {
  return to - from === 2 && /[\p{L}\p{N}]$/u.test(out[from + 1] ?? '')
}

/** Returns the sign between two parts of a reference: `Journal, 2020, 12(3), 45–67. DOI`. */
function signBetween(before: string, name: string): string {
  const close = before === 'issue' ? ')' : ''
  if (name === 'issue') return `${close}(`
  if (name === 'lpage') return `${close}–`
  if (/^(?:year|volume|fpage|volumenum|pagenums|pubdate|date)$/.test(name)) return `${close}, `
  return `${close}. `
}
