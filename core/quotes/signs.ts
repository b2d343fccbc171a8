/** Dashes of any length. Where a dash is in a text decides whether it is a minus sign. */
export const DASHES = String.raw`\-\u2010-\u2015\u2212\uFE58\uFE63\uFF0D`
/** Dashes that may follow a letter as the minus of a grade, a blood group or an ion. */
const SHORT_DASHES = String.raw`\-\u2013\u2212`

/** Symbols that only decorate: bullets, frames, marks of rights, characters that a converter could not read. */
const DECORATION = String.raw`\|¦©®℗™℠⁄∕∶⋅∙∗\u2500-\u25B1\u25B4-\u25BB\u25BE-\u25FF\u2800\uFFFC\uFFFD`

/** A bound of an interval, such as the first one of `[0, 1)`. */
const BOUND = String.raw`[+\-−]?(?:[\d.]{1,15}|∞|\p{L})`
/** Square brackets say that the bounds belong to an interval. */
const INTERVAL = [
  String.raw`\[(?=\s?${BOUND}\s?[,;]\s?${BOUND}\s?[\]\)])`,
  String.raw`(?<=[\[\(]\s?${BOUND}\s?[,;]\s?${BOUND}\s?)\]`,
]

/**
 * Signs that carry meaning, as a regular expression: comparisons, arithmetic, arrows, marks such as ✓, emoji, currencies, `%`, `°`, `&&`
 * and `||`. What carries meaning only in some places matches too: dashes, operators (see {@link isOperator}) and quotation marks that
 * may be primes.
 */
export const SIGN = [
  // The box of a task.
  String.raw`(?<![^\s])\[[ xX]\](?=\s)`,
  String.raw`<=>|<->|-{1,2}>|=>|<=|>=|!==?|\+\/[\-−]|\+[\-−](?=[\p{N}.])|[+*\/%&\|^\-−]=(?!=)`,
  ...INTERVAL,
  String.raw`<-(?![\p{N}\p{Sc}.])|<{2,3}|>{2,3}|={1,80}|[&＆]{2}|[\|｜]{2}`,
  // A negation in code. Behind a word it is an exclamation mark, or a factorial.
  String.raw`(?<![\p{L}\p{N}!?.\)\]'"”’])!(?=[\p{L}_\(])`,
  String.raw`(?<=[\p{L}\p{N}\)][*_\`]{0,3})!(?![!?])`,
  `[%‰‱٪％﹪]`,
  String.raw`[[\p{Sm}\p{Sc}\p{So}]--[${DECORATION}]]\p{M}*`,
  String.raw`\p{Emoji_Modifier}`,
  `[${DASHES}]`,
  // Operators, if they stand between operands, and primes.
  String.raw`\*{1,2}|[\/∕⁄∗⋅∙·＊／]`,
  '&(?![a-zA-Z]{2,9};|#)',
  String.raw`[′″‴ʹʺ]|(?<=\p{N})(?:''|’’|["'’”´])(?!\p{L})`,
].join('|')

/** Matches signs that are part of the word before them: `C++`, `C#`, `A+`, `18+`, `A−`. */
export const WORD_END = [
  `[⁺⁻]`,
  String.raw`\+\+(?!\p{L})`,
  String.raw`\+(?![\p{L}\p{N}+])`,
  String.raw`[#♯](?!\p{L})`,
  String.raw`(?<=(?<![\p{L}\p{N}])(?:[A-F]|AB|O))[${SHORT_DASHES}](?![\p{L}\p{N}${SHORT_DASHES}>])`,
].join('|')

/** Spellings and drawings of one sign. */
const SAME_SIGNS: Readonly<Record<string, string>> = {
  '<=': '≤',
  '⩽': '≤',
  '≦': '≤',
  '>=': '≥',
  '⩾': '≥',
  '≧': '≥',
  '!=': '≠',
  '->': '→',
  '-->': '→',
  '=>': '⇒',
  '<-': '←',
  '<->': '↔',
  '<=>': '⇔',
  '∗': '*',
  '⋅': '·',
  '∙': '·',
  '∕': '/',
  '⁄': '/',
  ʹ: '′',
  ʺ: '″',
  '[ ]': '☐',
  '[x]': '☑',
  '[X]': '☑',
  '+/-': '±',
  '+-': '±',
  '✔': '✓',
  '✘': '✗',
  '∼': '~',
  '˚': '°',
  '٪': '%',
}

/** Minutes and seconds of arc, feet and inches. */
const PRIME = /^[′″‴]$/
const ONE_DASH = new RegExp(`^[${DASHES}]$`, 'v')

/** Returns the canonical form of a sign, in compatibility composition (UAX #15) and without selectors of variants. */
export function canonicalSign(sign: string): string {
  // The compatibility form of a double prime is two primes.
  if (SAME_SIGNS[sign] ?? PRIME.test(sign)) return SAME_SIGNS[sign] ?? sign
  const plain = sign.normalize('NFKC').replace(/[\u200D\uFE00-\uFE0F]/g, '')
  // A line of equals signs underlines a title.
  if (/^={4,}$/.test(plain)) return ''
  return SAME_SIGNS[plain] ?? plain.replace(ONE_DASH, '-').replace(/^[−–](?==$)/, '-')
}

/** Signs that belong to the number behind them, and those that belong to it only without a space between. */
export const BEFORE_NUMBER = /^[<>≤≥≠≈±\p{Sc}]$/u
export const AT_NUMBER = /^[-+~]$/
/** Signs that belong to the number before them. */
export const BEHIND_NUMBER = /^[%‰‱°\p{Sc}]$/u

const LETTER_OR_DIGIT = /[\p{L}\p{M}\p{N}]/u
const DIGIT = /[\p{N}]/u
const NUMBER_AT = /\.?\p{N}|\p{Sc}\s?\.?\p{N}|∞/uy
const DASH = new RegExp(`[${DASHES}]`, 'v')

/**
 * True if a dash, a plus or a tilde is the sign of a number: it is directly before the number, and not directly behind a letter or digit.
 * There it would be a range (5–10), an operator, or part of a date, a phone number or a name (F-16). U+2212, which is always a minus, may
 * have a space between it and the number, unless it subtracts.
 */
export function isSignOfNumber(text: string, at: number): boolean {
  const before = lastBefore(text, at)
  const behind = text[at + 1] ?? ''
  if (text[at] === '−' && /[ \u00A0\u2009\u202F]/.test(behind) && startsNumber(text, at + 2))
    return !isSubtracted(text, at)
  if (!startsNumber(text, at + 1)) return false
  if (DASH.test(before)) return DIGIT.test(lastBefore(text, text.lastIndexOf(before, at - 1)))
  return !LETTER_OR_DIGIT.test(before) && !/[)\]]/.test(before)
}

function startsNumber(text: string, at: number): boolean {
  NUMBER_AT.lastIndex = at
  return NUMBER_AT.test(text)
}

/** True if a number, a variable or a bracket stands before a minus with spaces around it. */
function isSubtracted(text: string, at: number): boolean {
  const spaced = text[at - 1]
  if (spaced === undefined || !/\s/.test(spaced)) return spaced !== undefined && LETTER_OR_DIGIT.test(spaced)
  const before = lastBefore(text, at - 1)
  return /[\p{N})\]]/u.test(before) || (/\p{L}/u.test(before) && !LETTER_OR_DIGIT.test(text[at - 3] ?? ' '))
}

/** Returns the UTF-16 unit before an offset. Skips marks of Markdown. Half a surrogate pair does not count as a letter. */
function lastBefore(text: string, at: number): string {
  let place = at - 1
  for (let left = 3; left > 0 && /[*_`]/.test(text[place] ?? ''); left--) place--
  return text[place] ?? ''
}

/** True if a sign is a mark of Markdown: a quotation (`> `) or an item of a list (`+ `) at the start of a line. */
export function isLineMark(text: string, at: number, sign: string): boolean {
  if (sign !== '>' && sign !== '+' && sign !== '>>' && sign !== '>>>') return false
  let place = at - 1
  while (place >= 0 && at - place < 20 && /[ \t>]/.test(text[place]!)) place--
  if (place >= 0 && text[place] !== '\n') return false
  if (sign === '+') return /\s/.test(text[at + 1] ?? '')
  return !/^\s?[.\p{N}\p{Sc}\-−]/u.test(text.slice(at + sign.length, at + sign.length + 3))
}
