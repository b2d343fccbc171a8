import {
  astralClass,
  compose,
  FIRST_BIGRAM,
  foldCodePoint,
  SEPARATOR,
  SKIPPED,
  STRIPPED,
  SURROGATE,
  unitClasses,
  WORD,
} from '../characters/char-table.ts'
import { unicodeVersion } from '../characters/unicode.generated.ts'
import { DETECTOR_VERSION } from '../languages/language-detection.ts'
import { SNOWBALL_VERSION } from '../languages/snowball.ts'
import { isSymbolMark, PACKED_JS, PACKED_NET, symbolForms } from './symbols.ts'
import { termInterner } from './term-interner.ts'

/**
 * Identifies the rules that turn text into terms. It is stored with an index, because other rules would not find the terms
 * that these wrote.
 */
export const analyzerIdentity: string = [
  'asof-5',
  `unicode-${Number.parseInt(unicodeVersion, 10)}`,
  'porter2',
  `snowball-${SNOWBALL_VERSION}`,
  `eld-${DETECTOR_VERSION}`,
].join(';')

/** Receives what {@link scanBigrams} finds; characters are given as folded code points. */
export interface BigramSink {
  /** Two adjacent characters, at the position of the first. */
  bigram(first: number, second: number, position: number, start: number, end: number): void
  /** The only character of a run. */
  single(codePoint: number, position: number, start: number, end: number): void
}

type TokenArray = 'ids' | 'positions' | 'starts' | 'ends'

/**
 * Tokens of one or more texts, as parallel arrays of which the first `count` entries are valid. Set `count` to 0 to reuse
 * a buffer; then a token allocates memory only if its term is new.
 */
export class TokenBuffer implements BigramSink {
  /** Number of tokens. */
  count = 0
  /** Number of tokens in scripts without spaces, since {@link clear}. */
  runs = 0
  /** Number of tokens pushed by {@link pushSymbols}, since {@link clear}. */
  symbols = 0
  /** Ids of the terms in the {@link termInterner}, valid for its generation when the buffer was last empty. */
  ids: Uint32Array<ArrayBuffer>
  /**
   * Ascending. No token has the position of the last character of a bigram run. A form with symbols (`c++`) follows the
   * word that it begins or ends with and has that word's position; no other tokens share a position.
   */
  positions: Uint32Array<ArrayBuffer>
  /** UTF-16 offsets `[start, end)` in the source text. */
  starts: Uint32Array<ArrayBuffer>
  ends: Uint32Array<ArrayBuffer>

  /** @param make - makes the four arrays, all of one length. The buffer replaces them when they are full. */
  constructor(make: (name: TokenArray) => Uint32Array<ArrayBuffer> = () => new Uint32Array(1024)) {
    this.ids = make('ids')
    this.positions = make('positions')
    this.starts = make('starts')
    this.ends = make('ends')
  }

  clear(): void {
    this.count = 0
    this.runs = 0
    this.symbols = 0
  }

  push(id: number, position: number, start: number, end: number): void {
    const at = this.count
    if (at === this.positions.length) this.#grow()
    this.ids[at] = id
    this.positions[at] = position
    this.starts[at] = start
    this.ends[at] = end
    this.count = at + 1
  }

  /** Adds the forms with symbols of the word `text[start, end)`, which must be the token pushed last. */
  pushSymbols(text: string, start: number, end: number): void {
    const position = this.positions[this.count - 1]!
    for (const form of symbolForms(text, start, end)) {
      this.symbols++
      this.push(termInterner.idOfTerm(form.term), position, form.start, form.end)
    }
  }

  /** True if a token is a form with symbols. */
  isSymbol(at: number): boolean {
    return this.symbols > 0 && at > 0 && this.positions[at] === this.positions[at - 1]
  }

  bigram(first: number, second: number, position: number, start: number, end: number): void {
    this.runs++
    this.push(termInterner.idOfBigram(first, second), position, start, end)
  }

  single(codePoint: number, position: number, start: number, end: number): void {
    this.runs++
    this.push(termInterner.idOfTerm(String.fromCodePoint(codePoint)), position, start, end)
  }

  /** Returns the term of a token. Call it before another text is tokenized, which may invalidate the ids. */
  term(at: number): string {
    return termInterner.term(this.ids[at]!)
  }

  #grow(): void {
    const length = this.positions.length * 2
    this.ids = enlarge(this.ids, length)
    this.positions = enlarge(this.positions, length)
    this.starts = enlarge(this.starts, length)
    this.ends = enlarge(this.ends, length)
  }
}

function enlarge(array: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length)
  larger.set(array)
  return larger
}

/**
 * Appends the tokens of a text to `out`. A token is a run of letters, digits and marks. In Han, Kana, Thai, Lao, Khmer
 * and Myanmar, which write without spaces, every two adjacent characters are a token. A word with symbols that distinguish
 * it (`C++`, `node.js`) is followed by another token for word and symbols together, see {@link symbolForms}.
 *
 * @param firstPosition - position of the first token. Default 0.
 * @returns the position after the last.
 */
export function tokenize(text: string, out: TokenBuffer, firstPosition = 0): number {
  if (out.count === 0) termInterner.makeRoom()
  const { length } = text
  let position = firstPosition
  let at = 0
  while (at < length) {
    const start = at
    let unit = text.charCodeAt(at)
    let charClass = unitClasses[unit]!
    // The last eight letters, as termInterner.idOfAscii takes them.
    let high = 0
    let low = 0
    // The hot loop: most words of the web are ASCII.
    while (charClass === WORD && unit < 128) {
      high = (high << 8) | (low >>> 24)
      low = (low << 8) | unit | 32
      if (++at === length) break
      unit = text.charCodeAt(at)
      charClass = unitClasses[unit]!
    }
    if (at > start && (at === length || charClass === SEPARATOR || charClass >= FIRST_BIGRAM)) {
      out.push(termInterner.idOfAscii(text, start, at, high, low), position++, start, at)
      // True for few words: those before `+`, `#` or `&`, and `js` and `net`. The other rules run outside of the hot loop.
      if ((unit < 44 && unit > 34 && isSymbolMark(unit)) || low === PACKED_JS || low === PACKED_NET)
        out.pushSymbols(text, start, at)
      continue
    }
    if (at > start) at = scanWord(text, start, at, out, position++)
    else if (charClass === SEPARATOR) at++
    else {
      at = scanOther(text, start, out, position)
      position += unitsOfRun
    }
  }
  return position
}

/**
 * Pushes the word or the run of one script at an offset, or skips a character that belongs to neither. Returns the offset
 * after it; {@link unitsOfRun} is the number of positions used.
 */
export function scanOther(text: string, at: number, out: TokenBuffer, position: number): number {
  const charClass = classAt(text, at)
  if (charClass >= FIRST_BIGRAM) return scanBigrams(text, at, charClass, out, position)
  unitsOfRun = charClass === WORD ? 1 : 0
  if (charClass === WORD) return scanWord(text, at, at, out, position)
  return at + (charClass !== SEPARATOR ? sizeAt(text, at) : 1)
}

/** Returns the class of the character at an offset. An unpaired surrogate is a separator. */
export function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  const charClass = unitClasses[unit]!
  if (charClass !== SURROGATE) return charClass
  const codePoint = text.codePointAt(at)!
  return codePoint < 0x10000 ? SEPARATOR : astralClass(codePoint)
}

/** Returns the number of UTF-16 units of the character at an offset. */
export function sizeAt(text: string, at: number): number {
  return unitClasses[text.charCodeAt(at)] === SURROGATE ? 2 : 1
}

/** Pushes the word that begins at `start` and extends at least to `from`. Returns the offset at which the scan stopped. */
function scanWord(text: string, start: number, from: number, out: TokenBuffer, position: number): number {
  let at = from
  let end = from
  while (at < text.length) {
    const charClass = classAt(text, at)
    if (charClass === SEPARATOR || charClass >= FIRST_BIGRAM) break
    at += sizeAt(text, at)
    if (charClass !== SKIPPED) end = at
  }
  out.push(termInterner.idOfWord(text.slice(start, end)), position, start, end)
  return at
}

/** Number of positions that the last call of {@link scanBigrams} or {@link scanOther} used. */
export let unitsOfRun = 0

/** Passes the bigrams of the run of one script group at `start` to `out`. Returns the offset after the run. */
export function scanBigrams(
  text: string,
  start: number,
  group: number,
  out: BigramSink,
  firstPosition: number,
): number {
  let units = 0
  let [before, beforeStart] = [-1, 0]
  let [current, currentStart, currentEnd] = [-1, 0, 0]
  let at = start
  while (at < text.length) {
    const charClass = classAt(text, at)
    if (charClass !== group && charClass !== SKIPPED && charClass !== STRIPPED) break
    const unitStart = at
    at += sizeAt(text, at)
    if (charClass !== group) continue
    const folded = foldCodePoint(text.codePointAt(unitStart)!)
    const joined = current < 0 ? 0 : compose(current, folded)
    if (joined !== 0) current = joined
    else {
      if (before >= 0) out.bigram(before, current, firstPosition + units - 2, beforeStart, currentEnd)
      before = current
      beforeStart = currentStart
      current = folded
      currentStart = unitStart
      units++
    }
    currentEnd = at
  }
  if (before >= 0) out.bigram(before, current, firstPosition + units - 2, beforeStart, currentEnd)
  else out.single(current, firstPosition, currentStart, currentEnd)
  unitsOfRun = units
  return at
}
