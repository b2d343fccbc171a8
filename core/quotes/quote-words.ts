import { lowerBound } from '../bytes/binary-search.ts'

/** Scripts that put no spaces between words. Each character counts as a word, so that line ends inside of words do not count. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
/** Soft hyphens, characters without width and selectors of variants, which may be anywhere in a word. */
const INVISIBLE = String.raw`\u00AD\u200B-\u200D\u2060\uFEFF\uFE00-\uFE0F\u{E0100}-\u{E01EF}`
const LETTERS = String.raw`[[\p{L}\p{M}\p{N}${INVISIBLE}]--[${UNSPACED}]]`
/** The marks of voiced Kana, which many texts have as characters of their own. */
const VOICING = String.raw`\u3099\u309A\uFF9E\uFF9F`

/**
 * A word: letters and digits, with apostrophes between letters and with points and commas between digits. Signs that change what
 * a number says are words too. All other punctuation does not count.
 */
const WORD = new RegExp(
  [
    `[${UNSPACED}][${VOICING}]?`,
    // A mark alone is no word: the one behind a symbol only says how it is drawn.
    String.raw`(?=[\p{L}\p{N}])${LETTERS}+(?:(?:(?<=\p{N})[.,](?=\p{N})|['’ʼ](?=\p{L}))${LETTERS}+)*`,
    String.raw`[\p{Sc}%‰°]`,
    String.raw`(?<![\p{L}\p{N}])[\-−](?=[\p{N}\p{Sc}])`,
  ].join('|'),
  'gv',
)
const PLAIN = /^[\x21-\x7e]*$/
const DROPPED = new RegExp(String.raw`[${INVISIBLE}\s]`, 'gv')

const RAISED = /[⁰¹²³⁴-⁹]+/g

/**
 * Compatibility forms (UAX #15), such as ligatures and full-width digits, count as the characters that they stand for. Raised digits stay
 * apart from the others, because 10² is not 102.
 */
function normalized(word: string): string {
  if (PLAIN.test(word)) return word
  return word.replace(RAISED, '^$&').normalize('NFKC').replace(DROPPED, '').replace(/[’ʼ]/g, "'").replace('−', '-')
}

/** The words of a text. */
export class TextWords {
  readonly text: string
  readonly words: string[] = []
  /** The range of each word in the text, UTF-16 units. */
  readonly starts: number[] = []
  readonly ends: number[] = []
  /** All words, each after a space, and the offset of each of these spaces. */
  readonly #joined: string
  readonly #offsets: number[] = []

  constructor(text: string) {
    this.text = text
    let offset = 0
    const known = new Map<string, string>()
    for (const { 0: found, index } of text.matchAll(WORD)) {
      const word = known.get(found) ?? normalized(found)
      known.set(found, word)
      if (word === '') continue
      this.words.push(word)
      this.starts.push(index)
      this.ends.push(index + found.length)
      this.#offsets.push(offset)
      offset += word.length + 1
    }
    this.#joined = ` ${this.words.join(' ')} `
  }

  /**
   * Finds words that follow one another.
   *
   * @param from - number of the first word to look at.
   * @param before - number of the word before which they begin. Default: behind the last word.
   * @returns the number of the first of them; −1 if they are not there.
   */
  find(words: readonly string[], from: number, before: number = this.words.length): number {
    if (from >= before) return -1
    // Without the space before them: a search for what begins with the most frequent character is slow.
    const sought = `${words.join(' ')} `
    const begin = (this.#offsets[from] ?? 0) + 1
    const area = this.#joined.slice(0, (this.#offsets[before - 1] ?? 0) + 1 + sought.length)
    let at = area.indexOf(sought, begin)
    while (at > 0 && area[at - 1] !== ' ') at = area.indexOf(sought, at + 1)
    return at < 0 ? -1 : lowerBound(this.#offsets, this.#offsets.length, at - 1)
  }
}

/** Matches what stands for words that were left out of a quote. */
const LEFT_OUT = /[[(]\s*(?:…|\.{3,})\s*[\])]|…|\.{3,}/u

/** A quote in words. */
export class QuoteWords {
  /** The parts between ellipses. Each has at least one word. */
  readonly #parts: readonly string[][]
  readonly all: TextWords

  constructor(quote: string) {
    this.all = new TextWords(quote)
    const parts = quote.split(LEFT_OUT)
    const words = parts.length === 1 ? [this.all.words] : parts.map(part => new TextWords(part).words)
    this.#parts = words.filter(({ length }) => length > 0)
  }

  /** Number of parts between ellipses. */
  get parts(): number {
    return this.#parts.length
  }

  /** Returns the numbers of the first word in a text that has all parts one after another, and of the one behind the last. */
  in(text: TextWords): [from: number, to: number] | undefined {
    let from = -1
    let to = 0
    for (const part of this.#parts) {
      const at = firstOf(part, text, to)
      if (at < 0) return undefined
      if (from < 0) from = at
      to = at + part.length
    }
    return from < 0 ? undefined : [from, to]
  }
}

/** The forms of the first word of a quote: whoever quotes may begin with another letter case than the page has there. */
function firstForms(word: string): string[] {
  const [letter = ''] = word
  const rest = word.slice(letter.length)
  return [...new Set([word, letter.toUpperCase() + rest, letter.toLowerCase() + rest])]
}

/** True if a word of a text may be the first one of a quote. */
export function startsAlike(quoted: string, word: string): boolean {
  return firstForms(quoted).includes(word)
}

function firstOf([first = '', ...others]: readonly string[], text: TextWords, from: number): number {
  let place = -1
  for (const form of firstForms(first)) {
    const earlier = text.find([form, ...others], from, place < 0 ? undefined : place)
    if (earlier >= 0) place = earlier
  }
  return place
}
