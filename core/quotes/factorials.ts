import { DASHES } from './signs.ts'

/** Number of UTF-16 units before and behind an exclamation mark that are its context. */
const AROUND = 60
/** Matches an operand in brackets: `(n − 1)`. */
const BRACKET_BEFORE = new RegExp(
  String.raw`\((?:\d{0,9}\p{L}|\d{1,9})(?:\s?[+*·×${DASHES}]\s?(?:\d{0,9}\p{L}|\d{1,9})){1,4}\)$`,
  'v',
)
/** Matches a single consonant, which is taken for a variable, with the factor before it: `2n`. */
const VARIABLE_BEFORE = /(?<![\p{L}\p{M}\p{N}'’.])\d{0,9}[b-df-hj-np-tv-xz]$/u
const OPERAND_BEFORE = /(?:^|[^\p{L}\p{M}\p{N}])(?:\p{L}|\d{1,9})$/u
const OPERATOR_AHEAD = /^\s?[=+*×·/÷^≈≠≤≥<>]/
const OPERATOR_BEFORE = /[=*×·/÷]\s?\d{0,9}\p{L}?$/u

/** True if an exclamation mark means a factorial: `n!`, `(n − 1)!`, `5! = 120`. */
export function isFactorial(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - AROUND), at).replace(/[*_`]{1,3}$/, '')
  const ahead = text.slice(at + 1, at + 1 + AROUND)
  if (BRACKET_BEFORE.test(before) || VARIABLE_BEFORE.test(before)) return true
  return OPERAND_BEFORE.test(before) && (OPERATOR_AHEAD.test(ahead) || OPERATOR_BEFORE.test(before))
}
