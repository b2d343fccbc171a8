import { isWithin } from '../../text/terms/edit-distance.ts'

const MAX_UNITS = 128

/**
 * Tells which of many terms are within some edits of a word, as {@link isWithin} does. Neighbours in a dictionary begin
 * alike: what was worked out for the common part of two is not worked out again.
 */
export class FuzzyWalk {
  readonly #word: string
  readonly #edits: number
  /** Whether the word is ASCII: then so far as a term is, its bytes are its units. */
  readonly #isAscii: boolean
  /** Per length of a beginning of the term in hand, its distances from all beginnings of the word, and the least. */
  readonly #rows: Uint8Array[]
  readonly #least = new Uint8Array(MAX_UNITS + 1)
  readonly #units = new Uint8Array(MAX_UNITS)
  /** Rows that are worked out, besides the first. */
  #known = 0

  /** @param word - at most 100 units. */
  constructor(word: string, edits: number) {
    this.#word = word
    this.#edits = edits
    this.#isAscii = isAscii(word)
    this.#rows = Array.from({ length: MAX_UNITS + 1 }, () => new Uint8Array(word.length + 1))
    for (let j = 0; j <= word.length; j++) this.#rows[0][j] = j
  }

  /** @param term - UTF-8; its first `length` bytes. */
  isWithin(term: Uint8Array, length: number): boolean {
    let i = 0
    while (i < length && term[i] < 0x80) i++
    if (!this.#isAscii || i < length || length > MAX_UNITS)
      return isWithin(Buffer.from(term.buffer, term.byteOffset, length).toString(), this.#word, this.#edits)
    if (length > this.#word.length + this.#edits) return false
    const depth = this.#advance(term, length)
    return depth === length && this.#rows[length][this.#word.length] <= this.#edits
  }

  /** Whether no term that begins so is within. */
  isDead(beginning: string): boolean {
    if (!this.#isAscii || !isAscii(beginning) || beginning.length > MAX_UNITS) return false
    const bytes = Buffer.from(beginning)
    return this.#advance(bytes, bytes.length) < bytes.length
  }

  /** Works out the rows of a term as far as it may be within; returns how far that is. */
  #advance(term: Uint8Array, length: number): number {
    const units = this.#units
    let i = 0
    while (i < this.#known && i < length && units[i] === term[i]) i++
    // What ended the rows of the term before ends these too, when it is part of both.
    if (i > 0 && this.#isOver(i)) return i - 1
    for (this.#known = i; i < length; ) {
      units[i] = term[i]
      this.#row(++i)
      this.#known = i
      if (this.#isOver(i)) return i - 1
    }
    return i
  }

  /** Neither this row leads to few enough edits nor the one before, by a swap. */
  #isOver(i: number): boolean {
    return this.#least[i] > this.#edits && this.#least[i - 1] >= this.#edits
  }

  #row(i: number): void {
    const word = this.#word
    const units = this.#units
    const row = this.#rows[i]
    const before = this.#rows[i - 1]
    const unit = units[i - 1]
    let least = i
    row[0] = i
    for (let j = 1; j <= word.length; j++) {
      const other = word.charCodeAt(j - 1)
      let best = Math.min(before[j - 1] + (unit === other ? 0 : 1), before[j] + 1, row[j - 1] + 1)
      if (i > 1 && j > 1 && unit === word.charCodeAt(j - 2) && units[i - 2] === other)
        best = Math.min(best, this.#rows[i - 2][j - 2] + 1)
      row[j] = best
      if (best < least) least = best
    }
    this.#least[i] = least
  }
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}
