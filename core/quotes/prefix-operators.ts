import { DASHES } from './signs.ts'

/** An operator directly before a name in code or in a formula: `*ptr`, `&ptr`, `**kwargs`, `f(−x)`. */
export interface PrefixOperator {
  sign: string
  /** False for an asterisk that may also be half of a mark of Markdown, or mark a footnote. Its absence is no difference. */
  isSure: boolean
}

const ONE_DASH = new RegExp(`^[${DASHES}]$`, 'v')
const NAME_AHEAD = /^[\p{L}_]/u
/** Matches a variable: a letter alone, or a function with its argument. */
const VARIABLE_AHEAD = /^\p{L}(?:[\p{L}\p{N}]{0,9}\(|(?![\p{L}\p{M}\p{N}'’]))/u
const JOINED = /[\p{L}\p{M}\p{N})\]*&_]/u
/** Matches a sign before an operand. An asterisk that has a space only after it does not count, because it closes an emphasis. */
const OPENER = /(?:[([{=<>,;+/|^≤≥→]\s?|\s\*\s)$/
/** Matches marks of Markdown that open directly before an operator. */
const MARKS_BEFORE = /(?<=^|[^\p{L}\p{M}\p{N})\]])(?:\*{1,3}|_{1,3}|`{1,2})$/u
const TYPE =
  /(?:^|[^\p{L}\p{N}_])(?:int|char|void|const|struct \w{1,40}|double|float|long|short|unsigned|signed|bool|FILE|auto|return|sizeof|\w{1,40}_t)\s?$/u
const BEHIND_NAME = /^[\p{L}\p{N}_]{1,40}\s?(?:[-+*/%|&^]?=|;|\+\+|--|->|\[)/u
/** Number of UTF-16 units before and after an operator that are its context. */
const AROUND = 60
const LONGEST_EMPHASIS = 500

/** Returns a sign as the operator of the name directly after it; undefined if it is not an operator of a name. */
export function prefixOperator(text: string, start: number, end: number): PrefixOperator | undefined {
  const ahead = text.slice(end, end + AROUND)
  if (!NAME_AHEAD.test(ahead)) return undefined
  const sign = text.slice(start, end)
  if (ONE_DASH.test(sign)) {
    const before = text.slice(Math.max(0, start - AROUND), start).replace(MARKS_BEFORE, '')
    return OPENER.test(before) && VARIABLE_AHEAD.test(ahead) ? { sign: '-', isSure: true } : undefined
  }
  // Markdown escapes an asterisk.
  const from = text[start - 1] === '\\' ? start - 1 : start
  if (JOINED.test(text[from - 1] ?? ' ')) return undefined
  const before = text.slice(Math.max(0, from - AROUND), from)
  if (sign === '&') return { sign, isSure: true }
  if ((sign !== '*' && sign !== '**') || closesLater(text, end)) return undefined
  return { sign, isSure: OPENER.test(before) || TYPE.test(before) || BEHIND_NAME.test(ahead) }
}

/** True if the asterisks before `from` open an emphasis that other asterisks in the same line close. */
function closesLater(text: string, from: number): boolean {
  const line = text.slice(from, from + LONGEST_EMPHASIS).split('\n', 1)[0]!
  return /[^\s*]\*{1,3}(?![\p{L}\p{N}*])/u.test(line)
}

/**
 * True if a word of a quote and the equal word of a text have different operators before them.
 *
 * @param isFirst - true for the first word of a quote, or of a part between ellipses. A quote may leave out the operator before its first
 *   word, unless the operator is a minus.
 */
export function differInPrefix(
  ours: PrefixOperator | undefined,
  theirs: PrefixOperator | undefined,
  isFirst: boolean,
): boolean {
  if (ours && theirs) return ours.sign !== theirs.sign
  if (isFirst && !ours && theirs?.sign !== '-') return false
  return (ours ?? theirs)?.isSure === true
}
