import { DASHES } from './signs.ts'

/** Signs that are operators between operands, and punctuation or marks of Markdown elsewhere. */
export const MAYBE_OPERATOR = /^(?:[-*/·&]|\*\*)$/

const DASH = new RegExp(`[${DASHES}]`, 'v')
/** Dashes that writers also put between sentences. */
const LONG_DASH = /[–—―]/
const LETTER_OR_DIGIT = /[\p{L}\p{M}\p{N}]/u
const DIGIT = /\p{N}/u
const LETTER = /\p{L}/u
/** Matches a character that may end a number. */
const NUMBER_END = /[\p{N}%‰°\p{Sc}′″]/u
/** A number, behind its sign, its currency or a bracket. */
const NUMBER_AHEAD = /^[(*_`]{0,3}[\p{Sc}]?\s?\.?\p{N}/u
/** A letter alone, behind a bracket. */
const LETTER_AHEAD = /^[(*_`]{0,3}\p{L}(?![\p{L}\p{M}\p{N}'’])/u
/** Words of one letter before another word. */
const WORD_AHEAD = /^[aàAIoOyeéiu]\s+\p{L}{2}/u
/** Number of UTF-16 units before an asterisk in which an asterisk that opens an emphasis is searched. */
const BEFORE = 200
const OPENS_EMPHASIS = /(?:^|[\s("'“])\*{1,2}[^\s*]/

/** An operand is a number, a letter alone (a variable), a unit behind a number, or a bracket. */
type Operand = 'number' | 'letter' | 'unit' | 'bracket' | 'word'

/**
 * True if a sign is between two operands: `5 − 3`, `5–10`, `x*y`, `mg/kg`. So a range, difference, product or quotient differs from the
 * same text without the sign. Dashes between words, slashes between alternatives (`and/or`) and marks of emphasis do not count.
 *
 * @param isUnitBefore - true if the word before the sign is a unit behind a number.
 */
export function isOperator(text: string, [start, end]: readonly [number, number], isUnitBefore: boolean): boolean {
  const sign = text.slice(start, end)
  const before = operandBefore(text, start, sign, isUnitBefore)
  const after = operandAfter(text, end)
  if (before === undefined || after === undefined) return false
  const isSpaced = /\s/.test(text[start - 1] ?? ' ') && /\s/.test(text[end] ?? ' ')
  const areOperands = before !== 'word' && after !== 'word'
  if (DASH.test(sign)) return areOperands && isMinusOrRange(text, [start, end], before, after, isSpaced)
  if (sign.startsWith('*') || sign === '＊')
    return isSpaced || areOperands || (sign === '*' && !isEmphasis(text, start, end))
  if (sign === '·' || sign === '⋅' || sign === '∙') return before === 'number' && after === 'number' && !isSpaced
  if (sign === '&') return areOperands
  // `5 / 3`, `x/y`, `mg/kg`, `$5/month`; not `in 2019 / the year`.
  return areOperands || ((before === 'unit' || before === 'number') && !/\s/.test(text[end] ?? ' '))
}

function isMinusOrRange(
  text: string,
  [start, end]: readonly [number, number],
  before: Operand,
  after: Operand,
  isSpaced: boolean,
): boolean {
  const hasNumbers = (before === 'number' || before === 'unit') && after === 'number'
  if (hasNumbers) return true
  const dash = text[start]!
  if (before === 'unit') return false
  if (isSpaced) return !LONG_DASH.test(dash) && !WORD_AHEAD.test(text.slice(end + 1, end + 9))
  if (before === 'letter' && after === 'letter') return true
  // Names such as F-16 are also written in two words.
  return before === 'letter' ? dash === '−' || /\p{Ll}/u.test(text[start - 1]!) : before === 'bracket' || dash === '−'
}

function operandBefore(text: string, start: number, sign: string, isUnitBefore: boolean): Operand | undefined {
  let at = start - 1
  // A dash or an asterisk at the start of a line marks an item of a list.
  const spaces = /[\s|]/
  while (at >= 0 && start - at < 4 && spaces.test(text[at]!)) {
    if (text[at] === '\n' && (sign === '-' || sign === '*')) return undefined
    at--
  }
  // The operand may be a factorial: `n! / 2`.
  if (text[at] === '!' && !DASH.test(sign)) at--
  for (let left = 3; left > 0 && /[*_`\\]/.test(text[at] ?? ''); left--) at--
  const last = text[at]
  if (last === undefined) return undefined
  if (NUMBER_END.test(last)) return isInWord(text, at) ? 'word' : 'number'
  if (last === ')' || last === ']') return 'bracket'
  if (!LETTER.test(last)) return undefined
  if (isUnitBefore) return 'unit'
  return LETTER_OR_DIGIT.test(text[at - 1] ?? ' ') || /['’]/.test(text[at - 1] ?? ' ') ? 'word' : 'letter'
}

/** True for a digit behind a letter: `B12`, `x2`. */
function isInWord(text: string, at: number): boolean {
  let first = at
  while (at - first < 20 && DIGIT.test(text[first] ?? '')) first--
  return LETTER.test(text[first] ?? ' ')
}

function operandAfter(text: string, end: number): Operand | undefined {
  const ahead = text.slice(end, end + 12).trimStart()
  if (NUMBER_AHEAD.test(ahead)) return 'number'
  if (LETTER_AHEAD.test(ahead)) return 'letter'
  if (/^[(*_`]{0,3}\p{L}/u.test(ahead)) return 'word'
  return undefined
}

/** True if an asterisk inside of a word closes an emphasis, or opens one there. */
function isEmphasis(text: string, start: number, end: number): boolean {
  const line = text.slice(Math.max(0, start - BEFORE), start)
  if (OPENS_EMPHASIS.test(line.slice(line.lastIndexOf('\n') + 1))) return true
  // An asterisk that has a letter or digit only before it or only behind it opens or closes an emphasis.
  const [before, after] = [text[start - 1] ?? ' ', text[end] ?? ' ']
  return !(LETTER_OR_DIGIT.test(before) || before === '\\') || !LETTER_OR_DIGIT.test(after)
}
