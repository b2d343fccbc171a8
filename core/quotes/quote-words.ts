import { lowerBound } from '../bytes/binary-search.ts'
import { plainText } from '../text/markdown/plain-text.ts'
import { isFactorial } from './factorials.ts'
import { isOperator, MAYBE_OPERATOR } from './operators.ts'
import { differInPrefix, type PrefixOperator, prefixOperator } from './prefix-operators.ts'
import { typedPrimes } from './primes.ts'
import {
  AT_NUMBER,
  BEFORE_NUMBER,
  BEHIND_NUMBER,
  canonicalSign,
  DASHES,
  isLineMark,
  isSignOfNumber,
  SIGN,
  WORD_END,
} from './signs.ts'
import { unitsOf } from './units.ts'
import { GROUP_SPACES, withoutGroups } from './written-numbers.ts'

/** Scripts that put no spaces between words. Each character counts as a word, so that line ends inside of words do not count. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
/** Soft hyphens, characters without width and selectors of variants, which may be anywhere in a word. */
const INVISIBLE = String.raw`\u00AD\u200B-\u200D\u2060\uFEFF\uFE00-\uFE0F\u{E0100}-\u{E01EF}`
const VULGAR = '¼-¾⅐-⅞↉'
const LETTERS = String.raw`[[\p{L}\p{M}\p{N}${INVISIBLE}]--[${UNSPACED}${VULGAR}]]`
/** The marks of voiced Kana, which many texts have as characters of their own. */
const VOICING = String.raw`\u3099\u309A\uFF9E\uFF9F`

/** Matches signs that join the characters before and behind them to one word: signs inside of numbers, apostrophes, signs of exponents. */
const JOINT = [
  String.raw`(?<=\p{N})[.,\/⁄](?=\p{N})`,
  String.raw`(?<=\p{N})['’](?=\p{N}{3}(?!\p{N}))`,
  // Ratios and times of day.
  String.raw`(?<=\p{N})(?:[:：∶]| [:∶] )(?=\p{N})`,
  // The exponent of 1e-5.
  String.raw`(?<=\p{N}[eE])[+${DASHES}](?=\p{N})`,
  String.raw`['’ʼ](?=\p{L})`,
  `[⁺⁻](?=[⁰¹²³⁴-⁹])`,
  String.raw`\^(?:[\{\(][+${DASHES}]?(?=[\p{L}\p{N}]{1,9}[\}\)])|[+${DASHES}]?(?=[\p{L}\p{N}]))`,
].join('|')

/**
 * A word: letters and digits with what joins them, a point before (`.NET`, `.5`) and signs behind (`C++`). Signs that carry meaning are
 * words too. All other punctuation does not count. Lengths have bounds, because the engine of regular expressions remembers each step of
 * a repetition.
 */
const WORD = new RegExp(
  [
    `[${UNSPACED}][${VOICING}]?`,
    `[${VULGAR}]`,
    // Digits in groups, with spaces of one kind between.
    String.raw`(?<![\p{L}\p{N}.,'’\/]|\p{N}[${GROUP_SPACES}${DASHES}])[1-9]\d{0,2}([${GROUP_SPACES}])\d{3}(?:\1\d{3})*(?![\p{L}\p{N}])(?:[.,]\d+)?`,
    // A combining mark without a letter or digit is no word: behind a symbol, it only says how the symbol is drawn.
    String.raw`(?:(?<![\p{L}\p{M}\p{N}.…])\.)?(?=[\p{L}\p{N}])${LETTERS}{1,100000}(?:(?:${JOINT})${LETTERS}{1,1000}){0,500}(?:${WORD_END})?`,
    SIGN,
  ].join('|'),
  'gv',
)
const PLAIN = /^[\x21-\x7e]*$/
const DROPPED = new RegExp(String.raw`[${INVISIBLE}\s]`, 'gv')
const BEGINS_WITH_NUMBER = /^(?:\.?\p{N}|∞)/u
const IS_LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
const BEFORE_FACTORIAL = /[\p{L}\p{N})*_`]/u
const IS_CURRENCY = /\p{Sc}/u
const ENDS_WITH_DIGIT = /^[^\p{L}]*\d$/u
const FRACTION = /^[1-9]\d?\/\d\d?$/
const DIGITS = /^[^\p{L}\p{N}]*\d+$/u
/** Matches the text that may be between a number and its sign: spaces, at most one line break, and marks of Markdown. */
const SIGN_GAP = new RegExp(`^[*_\`]{0,3}[\\t${GROUP_SPACES}]{0,4}(?:\\r?\\n[\\t${GROUP_SPACES}]{0,4})?[*_\`]{0,3}$`)
const LONGEST_GAP = 16

/** A number with an exponent of ten: `1.5E−5`. */
const SCIENTIFIC = new RegExp(String.raw`^[.\d]\d*(?:[.,]\d+)?[eE][+${DASHES}]?\d+$`, 'v')

function scientific(number: string): string {
  return number.replace(/[eE]\+?/, 'e').replace(/[^\d.,e]/g, '-')
}

const RAISED = /[⁺⁻]?[⁰¹²³⁴-⁹]+/g
const EXPONENT = new RegExp(String.raw`\^[\{\(]?([+${DASHES}]?)`, 'gv')

/**
 * Compatibility forms (UAX #15), such as ligatures and full-width digits, count as the characters that they stand for. Raised digits stay
 * apart from the others, because 10² is not 102: they are written as in `10^2`.
 */
function normalized(word: string): string {
  const plain = PLAIN.test(word)
    ? word
    : word
        .replace(RAISED, '^$&')
        .normalize('NFKC')
        .replace(DROPPED, '')
        .replace(/[’ʼ]/g, "'")
        .replace(/[⁄]/g, '/')
        .replace('∶', ':')
        .replace('♯', '#')
  const raised = plain.includes('^')
    ? plain.replace(EXPONENT, (_, sign) => `^${sign === '' || sign === '+' ? sign : '-'}`)
    : plain
  if (SCIENTIFIC.test(raised)) return scientific(raised)
  const grouped = BEGINS_WITH_NUMBER.test(raised) ? withoutGroups(raised) : raised
  return grouped.replace(/[\u2013\u2212]$/, '-')
}

/** A word in its canonical form. */
interface CanonicalWord {
  word: string
  kind: 'word' | 'number' | 'sign'
}

/** Returns the words that a match of {@link WORD} stands for: two for `℃`, none for a mark that only decorates. */
function wordsOf(found: string): CanonicalWord[] {
  return formsOf(found)
    .filter(word => word !== '')
    .map(word => ({
      word,
      kind: BEGINS_WITH_NUMBER.test(word) ? 'number' : IS_LETTER_OR_DIGIT.test(word) ? 'word' : 'sign',
    }))
}

function formsOf(found: string): readonly string[] {
  if (IS_LETTER_OR_DIGIT.test(found) && !found.startsWith('[')) {
    // The sign of masculine ordinals is often typed in place of a degree sign.
    const degree = found.includes('º') ? /^([\p{N}.,]*)º(\p{L}*)$/u.exec(found) : undefined
    return degree ? [normalized(degree[1]!), '°', normalized(degree[2]!)] : [normalized(found)]
  }
  const sign = canonicalSign(found)
  // Signs such as ℃ and № have letters.
  return IS_LETTER_OR_DIGIT.test(sign) ? (sign.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu) ?? []) : [sign]
}

const TRUE_PRIME = /^[′″‴]$/
const PRIME_LIKE = /^(?:['"’”´′″‴]|''|’’)$/
/** Maximum number of units that are joined to one, such as kg·m²/s². */
const MAX_UNITS = 4

/** True if a word is a unit behind a number, or behind such a unit and an operator. */
export function isUnitAt(words: readonly string[], number: number): boolean {
  let place = number
  for (let left = MAX_UNITS; left > 0 && place >= 0; left--) {
    if (unitsOf(words[place]!).length === 0) return false
    const before = words[place - 1] ?? ''
    if (/^\D?[.\d]/.test(before)) return true
    if (before !== '/' && before !== '·') return false
    // The number is before the operator, as in $5/month.
    if (/^\D?[.\d]/.test(words[place - 2] ?? '')) return true
    place -= 2
  }
  return false
}

/** An operator directly before a word, with its range in the text. */
interface PlacedPrefix extends PrefixOperator {
  start: number
  end: number
}

/** The words of a text. */
export class TextWords {
  readonly text: string
  readonly words: string[] = []
  /** The range of each word in the text, UTF-16 units. */
  readonly starts: number[] = []
  readonly ends: number[] = []
  /** The operators directly before words, by the numbers of the words. */
  readonly prefixes = new Map<number, PlacedPrefix>()
  /** The last operator so far. It is the operator of the next word if that begins where the operator ends. */
  #prefix: PlacedPrefix | undefined
  /** All words, each after a space, and the offset of each of these spaces. */
  readonly #joined: string
  readonly #offsets: number[] = []
  /** Offsets of quotation marks that are read as primes. */
  readonly #primes: ReadonlySet<number>

  /** @param hasTypedPrimes - false if quotation marks and apostrophes behind numbers are never primes. */
  constructor(text: string, hasTypedPrimes: boolean = true) {
    this.text = text
    this.#primes = hasTypedPrimes ? typedPrimes(text) : new Set()
    const known = new Map<string, CanonicalWord[]>()
    for (const { 0: found, index } of text.matchAll(WORD)) {
      let words = known.get(found)
      if (!words) {
        words = wordsOf(found)
        known.set(found, words)
      }
      for (const word of words) this.#take(word, index, index + found.length)
    }
    let offset = 0
    for (const word of this.words) {
      this.#offsets.push(offset)
      offset += word.length + 1
    }
    this.#joined = ` ${this.words.join(' ')} `
  }

  /** Takes a word. A sign and the number that it belongs to are one word. */
  #take({ word, kind }: CanonicalWord, start: number, end: number): void {
    const { text, words, starts, ends } = this
    let signed = word
    let from = start
    if (kind === 'number') {
      // A whole number and a fraction are one number: 1½, 1 1/2.
      if (FRACTION.test(word) && DIGITS.test(words.at(-1) ?? '') && this.#isInLine(ends.at(-1)!, from)) {
        signed = `${words.pop()}+${word}`
        from = starts.pop()!
        ends.pop()
      }
      while (words.length > 0 && this.#belongsBefore(words.at(-1)!, ends.at(-1)!, from)) {
        signed = words.pop()! + signed
        from = starts.pop()!
        ends.pop()
      }
    } else if (kind === 'sign') {
      if (PRIME_LIKE.test(word)) {
        this.#takePrime(word, start, end)
        return
      }
      if (MAYBE_OPERATOR.test(word)) {
        const isSign = word === '-' && isSignOfNumber(text, start)
        if (!isSign && !isOperator(text, [start, end], this.#endsWithUnit(start))) {
          const prefix = prefixOperator(text, start, end)
          this.#prefix = prefix && { ...prefix, start, end }
          return
        }
      }
      if (word === '!' && BEFORE_FACTORIAL.test(text[start - 1] ?? '') && !isFactorial(text, start)) return
      if (word === '~' && !isSignOfNumber(text, start)) return
      if (isLineMark(text, start, word)) return
      if (BEHIND_NUMBER.test(word) && words.length > 0 && this.#belongsBehind(word, start, end)) {
        words[words.length - 1] += word
        ends[ends.length - 1] = end
        return
      }
    }
    if (this.#prefix?.end === from) this.prefixes.set(words.length, this.#prefix)
    words.push(signed)
    starts.push(from)
    ends.push(end)
  }

  /** Takes a prime, which stands for minutes or seconds of arc, feet or inches. */
  #takePrime(mark: string, start: number, end: number): void {
    const { words, ends } = this
    if (!TRUE_PRIME.test(mark) && !this.#primes.has(start)) return
    if (words.length === 0 || ends.at(-1) !== start || !ENDS_WITH_DIGIT.test(words.at(-1)!)) return
    words[words.length - 1] += mark.length > 1 || /["”″]/.test(mark) ? '″' : mark === '‴' ? mark : '′'
    ends[ends.length - 1] = end
  }

  /** True if the last word is a unit behind a number, or the last of several units that operators join. */
  #endsWithUnit(at: number): boolean {
    const { words, starts, ends } = this
    const last = words.length - 1
    return (
      last > 0 && this.#isNear(ends[last]!, at) && this.#isNear(ends[last - 1]!, starts[last]!) && isUnitAt(words, last)
    )
  }

  #belongsBefore(sign: string, end: number, number: number): boolean {
    if (sign.length > 1) return false
    if (AT_NUMBER.test(sign)) return isSignOfNumber(this.text, end - 1)
    // An angle bracket directly behind a character, with a space before the number, does not belong to the number.
    if ((sign === '<' || sign === '>') && number > end && /\S/.test(this.text[end - 2] ?? ' ')) return false
    return BEFORE_NUMBER.test(sign) && this.#isNear(end, number)
  }

  #belongsBehind(sign: string, start: number, end: number): boolean {
    const { text, words, ends } = this
    const number = words.at(-1)!
    if (!ENDS_WITH_DIGIT.test(number)) return false
    // A number has one currency. A second one belongs to the next number, and so does one directly before a number.
    const isOfNext = IS_CURRENCY.test(sign) && (IS_CURRENCY.test(number) || /^[.\d]/.test(text.slice(end, end + 1)))
    if (isOfNext) return false
    // A currency at the start of a line belongs to the number after it.
    return IS_CURRENCY.test(sign) ? this.#isInLine(ends.at(-1)!, start) : this.#isNear(ends.at(-1)!, start)
  }

  /** True if nothing is between a number and its sign but white space, and marks of Markdown. */
  #isNear(end: number, start: number): boolean {
    return start === end || (start - end < LONGEST_GAP && SIGN_GAP.test(this.text.slice(end, start)))
  }

  #isInLine(end: number, start: number): boolean {
    return this.#isNear(end, start) && !this.text.slice(end, start).includes('\n')
  }

  /**
   * Finds words that follow one another.
   *
   * @param from - number of the first word to look at.
   * @param before - the words must begin before the word with this number. Default: anywhere behind `from`.
   * @returns the number of the first of them; −1 if they are not there.
   */
  find(words: readonly string[], from: number, before: number = this.words.length): number {
    if (from >= before) return -1
    // Begins without a space, because a search for a text that begins with the most frequent character is slow.
    const sought = `${words.join(' ')} `
    const begin = (this.#offsets[from] ?? 0) + 1
    const area = this.#joined.slice(0, (this.#offsets[before - 1] ?? 0) + 1 + sought.length)
    let at = area.indexOf(sought, begin)
    while (at > 0 && area[at - 1] !== ' ') at = area.indexOf(sought, at + 1)
    return at < 0 ? -1 : lowerBound(this.#offsets, this.#offsets.length, at - 1)
  }
}

/** Matches an ellipsis, which stands for words that were left out of a quote. */
const LEFT_OUT = /[[(]\s*(?:…|\.{3,})\s*[\])]|…\.*|\.{3,}/u

/** The target of a link in Markdown, which the text of a page does not have. */
const LINK_TARGET = /\]\((?:https?:|mailto:|[/#.])[^\s()]*\)/g

/**
 * Matches what Markdown has and a text seldom has: a mark at the beginning of a line, strong emphasis, code, the target of a link or image, a
 * reference, a tag, a character reference, an escape.
 */
const MARKUP = /^[ \t]*(?:[*+>#|-]|\d{1,9}[.)])|\*\*|__|`|~~~|\]\(|\]\[|<[a-z!/]|&#?\w{2,9};|\\/im
/** The label of a link whose target is elsewhere on the page. */
const REFERENCE = /\]\[[^[\]\n]*\]/g

/** The words of a quote, and of its parts between ellipses. */
export class QuoteWords {
  /** The parts between ellipses. Each has at least one word. */
  readonly #parts: readonly TextWords[]
  readonly #given: string
  /** The quote without the targets of links. */
  readonly #quote: string
  /** Other readings of the quote. Undefined until they are needed. */
  #others: readonly (readonly TextWords[])[] | undefined
  readonly all: TextWords

  constructor(given: string) {
    this.#given = given
    this.#quote = given.includes('](') ? given.replace(LINK_TARGET, ']') : given
    this.all = new TextWords(this.#quote)
    this.#parts = partsOf(this.#quote)
  }

  /** Number of parts between ellipses. */
  get parts(): number {
    return this.#parts.length
  }

  /** The numbers of the words before which something was left out. */
  get gaps(): ReadonlySet<number> {
    let words = 0
    return new Set(this.#parts.slice(0, -1).map(part => (words += part.words.length)))
  }

  /** Finds all parts in a text, one after another. Returns the numbers of the first word and of the word behind the last one. */
  in(text: TextWords): [from: number, to: number] | undefined {
    const place = placeOf(this.#parts, text)
    if (place) return place
    this.#others ??= this.#otherReadings()
    for (const parts of this.#others) {
      const other = placeOf(parts, text)
      if (other) return other
    }
    return undefined
  }

  /**
   * Returns the parts of other readings of the quote: with quotation marks at numbers that are no primes, because they may belong to a pair
   * whose other mark is outside of the quote; as a reader sees it, because it may be copied from the Markdown of a page; and with ellipses that
   * the page has.
   */
  #otherReadings(): TextWords[][] {
    const forms = MARKUP.test(this.#given) ? [this.#given, this.#given.replaceAll(REFERENCE, ']')] : []
    const texts = [this.#quote, ...new Set(forms.map(plainText))]
    const unprimed = texts.filter(text => typedPrimes(text).size > 0)
    const whole = texts.filter(text => LEFT_OUT.test(text))
    return [
      ...unprimed.map(text => partsOf(text, false)),
      ...texts.slice(1).map(text => partsOf(text)),
      ...whole.map(text => [new TextWords(text)]),
    ]
  }
}

/** Returns the words of the parts of a quote between ellipses. */
function partsOf(quote: string, hasTypedPrimes = true): TextWords[] {
  return quote
    .split(LEFT_OUT)
    .map(part => new TextWords(part, hasTypedPrimes))
    .filter(({ words }) => words.length > 0)
}

function placeOf(parts: readonly TextWords[], text: TextWords): [from: number, to: number] | undefined {
  let from = -1
  let to = 0
  for (const part of parts) {
    const at = firstOf(part, text, to)
    if (at < 0) return undefined
    if (from < 0) from = at
    to = at + part.words.length
  }
  return from < 0 ? undefined : [from, to]
}

/** Returns the forms that the first word of a quote may have on the page, because the case of its first letter may differ. */
function firstForms(word: string): string[] {
  const [letter = ''] = word
  const rest = word.slice(letter.length)
  return [...new Set([word, letter.toUpperCase() + rest, letter.toLowerCase() + rest])]
}

/** True if a word of a text may be the first one of a quote. */
export function startsAlike(quoted: string, word: string): boolean {
  return firstForms(quoted).includes(word)
}

function firstOf(part: TextWords, text: TextWords, from: number): number {
  const [first = '', ...others] = part.words
  let place = -1
  for (const form of firstForms(first)) {
    const before = place < 0 ? undefined : place
    let earlier = text.find([form, ...others], from, before)
    while (earlier >= 0 && !hasSamePrefixes(part, text, earlier))
      earlier = text.find([form, ...others], earlier + 1, before)
    if (earlier >= 0) place = earlier
  }
  return place
}

/** True if the operators before the words of a part are those before the words at a place of a text. */
function hasSamePrefixes({ words, prefixes }: TextWords, text: TextWords, at: number): boolean {
  if (prefixes.size + text.prefixes.size === 0) return true
  return words.every((_, i) => !differInPrefix(prefixes.get(i), text.prefixes.get(at + i), i === 0))
}

/** Words that follow one another, as the text writes them. */
export function spelled({ text, starts, ends, prefixes }: TextWords, words: readonly number[]): string {
  const [first] = words
  const last = words.at(-1)
  return first === undefined || last === undefined
    ? ''
    : text.slice(prefixes.get(first)?.start ?? starts[first], ends[last])
}
