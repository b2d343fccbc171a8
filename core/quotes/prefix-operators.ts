import { DASHES } from './signs.ts'

/** An operator directly before a name in code or in a formula: `*ptr`, `&ptr`, `**kwargs`, `f(−x)`. */
export interface PrefixOperator {
  sign: string
  /** False for an asterisk that may also be half of a mark of Markdown, or that of a footnote. It is not missed where it is not. */
  isSure: boolean
}

const ONE_DASH = new RegExp(`^[${DASHES}]$`, 'v')
const NAME_AHEAD = /^[\p{L}_]/u
/** A variable: a letter alone, or a function with its argument. */
const VARIABLE_AHEAD = /^\p{L}(?:[\p{L}\p{N}]{0,9}\(|(?![\p{L}\p{M}\p{N}'’]))/u
const JOINED = /[\p{L}\p{M}\p{N})\]*&_]/u
/** What an operand follows. */
const OPENER = /[([{=<>,;+*/|^≤≥→]\s?$/
const TYPE =
  /(?:^|[^\p{L}\p{N}_])(?:int|char|void|const|struct \w{1,40}|double|float|long|short|unsigned|signed|bool|FILE|auto|return|sizeof|\w{1,40}_t)\s?$/u
const BEHIND_NAME = /^[\p{L}\p{N}_]{1,40}\s?(?:[-+*/%|&^]?=|;|\+\+|--|->|\[)/u
/** UTF-16 units in which the context of an operator is looked for. */
const AROUND = 60
const LONGEST_EMPHASIS = 500

/** Returns the operator that a sign is to the name behind it; undefined if it is none. */
export function prefixOperator(text: string, start: number, end: number): PrefixOperator | undefined {
  const ahead = text.slice(end, end + AROUND)
  if (!NAME_AHEAD.test(ahead)) return undefined
  // Markdown escapes an asterisk.
  const from = text[start - 1] === '\\' ? start - 1 : start
  if (JOINED.test(text[from - 1] ?? ' ')) return undefined
  const sign = text.slice(start, end)
  const before = text.slice(Math.max(0, from - AROUND), from)
  if (ONE_DASH.test(sign))
    return OPENER.test(before) && VARIABLE_AHEAD.test(ahead) ? { sign: '-', isSure: true } : undefined
  if (sign === '&') return { sign, isSure: true }
  if ((sign !== '*' && sign !== '**') || closesLater(text, end)) return undefined
  return { sign, isSure: OPENER.test(before) || TYPE.test(before) || BEHIND_NAME.test(ahead) }
}

/** True if an asterisk in the same line closes an emphasis that one before it opens. */
function closesLater(text: string, from: number): boolean {
  const line = text.slice(from, from + LONGEST_EMPHASIS).split('\n', 1)[0]!
  return /[^\s*]\*{1,3}(?![\p{L}\p{N}*])/u.test(line)
}

/** True if two equal words have other operators before them. */
export function differInPrefix(one: PrefixOperator | undefined, other: PrefixOperator | undefined): boolean {
  if (one && other) return one.sign !== other.sign
  return (one ?? other)?.isSure === true
}

/** An operand of a factorial in brackets: `(n − 1)`. */
const BRACKET_BEFORE = new RegExp(
  String.raw`\((?:\d{0,9}\p{L}|\d{1,9})(?:\s?[+*·×${DASHES}]\s?(?:\d{0,9}\p{L}|\d{1,9})){1,4}\)$`,
  'v',
)
/** A letter that is no word of its own in any language, behind a factor. */
const VARIABLE_BEFORE = /(?<![\p{L}\p{M}\p{N}'’.])\d{0,9}[b-df-hj-np-tv-xz]$/u
const OPERAND_BEFORE = /(?:^|[^\p{L}\p{M}\p{N}])(?:\p{L}|\d{1,9})$/u
const OPERATOR_AHEAD = /^\s?[=+*×·/÷^≈≠≤≥<>]/
const OPERATOR_BEFORE = /[=*×·/÷]\s?\d{0,9}\p{L}?$/u

/** True if an exclamation mark is that of a factorial: `n!`, `(n − 1)!`, `5! = 120`. */
export function isFactorial(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - AROUND), at).replace(/[*_`]{1,3}$/, '')
  const ahead = text.slice(at + 1, at + 1 + AROUND)
  if (BRACKET_BEFORE.test(before)) return true
  if (VARIABLE_BEFORE.test(before)) return true
  return OPERAND_BEFORE.test(before) && (OPERATOR_AHEAD.test(ahead) || OPERATOR_BEFORE.test(before))
}
