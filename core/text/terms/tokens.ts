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
import { NOT_AS_WRITTEN } from '../languages/english-endings.ts'
import { joinWords, mayEndJoined, startOfJoined } from './joined-words.ts'
import { isSymbolMark, PACKED_JS, PACKED_NET, symbolForms } from './symbols.ts'
import { detach, stemTerm, termInterner, WORD_ID_BITS, WORD_IDS, type WordNumber } from './term-interner.ts'

/** Receives the bigrams that {@link scanBigrams} finds. Characters are folded code points. */
export interface BigramSink {
  /** Two adjacent characters. The position is that of the first. */
  bigram(first: number, second: number, position: number, start: number, end: number): void
  /** A run of only one character. */
  single(codePoint: number, position: number, start: number, end: number): void
}

const NO_TERM = -1
/** Maximum number of words whose joined terms are kept. */
const MAX_JOINED = 50_000

/** Keeps the ids of joined words, because pages have the same ones again and again. It only affects speed. */
class JoinedTerms {
  #generation = -1
  readonly #ids = new Map<string, number>()

  /** Returns the id of the term of joined words; {@link NO_TERM} if they are not joined. The parameters are those of {@link joinWords}. */
  idOf(words: string, last: number): number {
    if (this.#generation !== termInterner.generation || this.#ids.size >= MAX_JOINED) {
      this.#ids.clear()
      this.#generation = termInterner.generation
    }
    let id = this.#ids.get(words)
    if (id === undefined) {
      const joined = joinWords(words, last)
      id = joined === undefined ? NO_TERM : termInterner.idOfTerm(stemTerm(joined))
      this.#ids.set(detach(words), id)
    }
    return id
  }
}

const joinedTerms = new JoinedTerms()

type TokenArray = 'ids' | 'positions' | 'endings' | 'starts' | 'ends'

/**
 * The tokens of one or more texts, in parallel arrays with `count` entries. A buffer is reused by setting `count` to 0;
 * then only new terms allocate memory.
 */
export class TokenBuffer implements BigramSink {
  /** Number of tokens. */
  count = 0
  /** Number of tokens in scripts without spaces since {@link clear}. */
  runs = 0
  /** Number of tokens added by {@link pushSymbols} since {@link clear}. */
  symbols = 0
  /**
   * Ids in the {@link termInterner}. They are valid in the generation that the interner had when the buffer was last
   * empty.
   */
  ids: Uint32Array<ArrayBuffer>
  /**
   * Positions, ascending. A word and its form with symbols (`c++`), or joined with the word before (`plug-in`), share a
   * position, and the form comes second. All other positions are distinct. A run of bigrams leaves the position of its last character unused.
   */
  positions: Uint32Array<ArrayBuffer>
  /** Number of each token's ending, which `endingOf` returns. 0 for all tokens except words in scripts with spaces. */
  endings: Uint32Array<ArrayBuffer>
  /** UTF-16 offsets `[start, end)` in the text. */
  starts: Uint32Array<ArrayBuffer>
  ends: Uint32Array<ArrayBuffer>

  /** @param make - allocates an array of a fixed length. The buffer replaces full arrays by longer ones. */
  constructor(make: (name: TokenArray) => Uint32Array<ArrayBuffer> = () => new Uint32Array(1024)) {
    this.ids = make('ids')
    this.positions = make('positions')
    this.endings = make('endings')
    this.starts = make('starts')
    this.ends = make('ends')
  }

  clear(): void {
    this.count = 0
    this.runs = 0
    this.symbols = 0
  }

  push(id: number, position: number, start: number, end: number, ending = 0): void {
    const at = this.count
    if (at === this.positions.length) this.#grow()
    this.ids[at] = id
    this.positions[at] = position
    this.endings[at] = ending
    this.starts[at] = start
    this.ends[at] = end
    this.count = at + 1
  }

  pushWord(word: WordNumber, position: number, start: number, end: number): void {
    this.push(word & WORD_IDS, position, start, end, word >>> WORD_ID_BITS)
  }

  /** Adds the forms with symbols of the last token, the word `text[start, end)`, and the words joined with it, see `joinedWords`. */
  pushSymbols(text: string, start: number, end: number): void {
    const position = this.positions[this.count - 1]!
    for (const form of symbolForms(text, start, end)) {
      this.symbols++
      this.push(termInterner.idOfTerm(form.term), position, form.start, form.end)
    }
    const from = startOfJoined(text, start, end)
    const id = from === undefined ? NO_TERM : joinedTerms.idOf(text.slice(from, end), start - from)
    if (from === undefined || id === NO_TERM) return
    this.symbols++
    this.push(id, position, from, end, NOT_AS_WRITTEN)
  }

  /** True if a token is a form with symbols, or {@link joinedWords}. */
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

  /** Returns the term of a token. The ids may become invalid when another text is tokenized. */
  term(at: number): string {
    return termInterner.term(this.ids[at]!)
  }

  #grow(): void {
    const length = this.positions.length * 2
    this.ids = enlarge(this.ids, length)
    this.positions = enlarge(this.positions, length)
    this.endings = enlarge(this.endings, length)
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
 * Appends the tokens of a text to `out`. A token is a run of letters, digits and marks. In scripts without spaces (Han,
 * Kana, Thai, Lao, Khmer, Myanmar) every two adjacent characters are a token. After a word with distinctive symbols
 * (`C++`, `node.js`) comes a token for both together, see {@link symbolForms}.
 *
 * @param firstPosition - position of the first token. Default 0.
 * @returns the position after the last token.
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
    // The last eight letters of the word, as `numberOfAscii` takes them.
    let high = 0
    let low = 0
    // The fast path for ASCII words.
    while (charClass === WORD && unit < 128) {
      high = (high << 8) | (low >>> 24)
      low = (low << 8) | unit | 32
      if (++at === length) break
      unit = text.charCodeAt(at)
      charClass = unitClasses[unit]!
    }
    if (at > start && (at === length || charClass === SEPARATOR || charClass >= FIRST_BIGRAM)) {
      out.pushWord(termInterner.numberOfAscii(text, start, at, high, low), position++, start, at)
      // The condition is true only before `+`, `#` and `&`, for the words `js` and `net`, after a hyphen, and for a single letter after
      // a full stop. All other words skip the search for forms with symbols and for joined words.
      if (
        (unit < 44 && unit > 34 && isSymbolMark(unit)) ||
        low === PACKED_JS ||
        low === PACKED_NET ||
        (start > 0 && mayEndJoined(text.charCodeAt(start - 1), at - start))
      )
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
 * Reads the word or run at an offset, or skips a character that is part of neither. Returns the offset after it, and
 * sets {@link unitsOfRun}.
 */
export function scanOther(text: string, at: number, out: TokenBuffer, position: number): number {
  const charClass = classAt(text, at)
  if (charClass >= FIRST_BIGRAM) return scanBigrams(text, at, charClass, out, position)
  unitsOfRun = charClass === WORD ? 1 : 0
  if (charClass === WORD) return scanWord(text, at, at, out, position)
  return at + (charClass !== SEPARATOR ? sizeAt(text, at) : 1)
}

/** Returns the class of the character at an offset. Half of a surrogate pair alone is a separator. */
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

/** Reads the word that begins at `start` and extends at least to `from`. Returns the offset where reading stopped. */
function scanWord(text: string, start: number, from: number, out: TokenBuffer, position: number): number {
  let at = from
  let end = from
  while (at < text.length) {
    const charClass = classAt(text, at)
    if (charClass === SEPARATOR || charClass >= FIRST_BIGRAM) break
    at += sizeAt(text, at)
    if (charClass !== SKIPPED) end = at
  }
  out.pushWord(termInterner.numberOfWord(text.slice(start, end)), position, start, end)
  return at
}

/** Number of positions that the last call of {@link scanBigrams} or {@link scanOther} used. */
export let unitsOfRun = 0

/** Passes the bigrams of the run at `start` to `out`. Returns the offset after the run. */
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
