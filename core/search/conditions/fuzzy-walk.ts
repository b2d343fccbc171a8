import { beginsWithin, isWithinEdits } from '@asof/extract/characters'

const MAX_UNITS = 128

/**
 * Tests which terms are within a number of edits of a word, as {@link isWithinEdits} does, but faster for the sorted terms of a dictionary:
 * successive terms share prefixes, and the rows of the edit distance matrix for the common prefix are computed only once.
 */
export class FuzzyWalk {
  readonly #word: string
  readonly #edits: number
  /** True if the word is ASCII. Then an ASCII term can be compared byte by byte. */
  readonly #isAscii: boolean
  /** The matrix: for each length of a prefix of the term its edit distances from all prefixes of the word. */
  readonly #rows: Uint8Array[]
  /** The smallest distance in each row. */
  readonly #least = new Uint8Array(MAX_UNITS + 1)
  /** The term that the known rows were computed for. */
  readonly #units = new Uint8Array(MAX_UNITS)
  /** Number of rows that are computed, not counting the first one, which never changes. */
  #known = 0

  /** @param word - at most 100 units. */
  constructor(word: string, edits: number) {
    this.#word = word
    this.#edits = edits
    this.#isAscii = isAscii(word)
    this.#rows = Array.from({ length: MAX_UNITS + 1 }, () => new Uint8Array(word.length + 1))
    for (let j = 0; j <= word.length; j++) this.#rows[0]![j] = j
  }

  /** @param term - UTF-8, in the first `length` bytes. */
  isWithin(term: Uint8Array, length: number): boolean {
    let i = 0
    while (i < length && term[i]! < 0x80) i++
    if (!this.#isAscii || i < length || length > MAX_UNITS)
      return isWithinEdits(Buffer.from(term.buffer, term.byteOffset, length).toString(), this.#word, this.#edits)
    if (length > this.#word.length + this.#edits) return false
    const depth = this.#advance(term, length)
    return depth === length && this.#rows[length]![this.#word.length]! <= this.#edits
  }

  /** True if a beginning of a term is within the edits of the word. @param term - UTF-8, in the first `length` bytes. */
  beginsWithin(term: Uint8Array, length: number): boolean {
    let i = 0
    while (i < length && term[i]! < 0x80) i++
    if (!this.#isAscii || i < length || length > MAX_UNITS)
      return beginsWithin(Buffer.from(term.buffer, term.byteOffset, length).toString(), this.#word, this.#edits)
    return this.#reaches(this.#advance(term, length))
  }

  /** True if no term with this prefix has a beginning within the edits of the word. */
  rulesOutBeginning(beginning: string): boolean {
    if (!this.#isAscii || !isAscii(beginning) || beginning.length > MAX_UNITS) return false
    const bytes = Buffer.from(beginning)
    const depth = this.#advance(bytes, bytes.length)
    return depth < bytes.length && !this.#reaches(depth)
  }

  /** True if a beginning of the current term, of at most `depth` units, is within the edits of the word. */
  #reaches(depth: number): boolean {
    const end = this.#word.length
    for (let i = Math.max(0, end - this.#edits); i <= depth; i++) if (this.#rows[i]![end]! <= this.#edits) return true
    return false
  }

  /** True if no term with this prefix is within the edits. */
  rulesOut(beginning: string): boolean {
    if (!this.#isAscii || !isAscii(beginning) || beginning.length > MAX_UNITS) return false
    const bytes = Buffer.from(beginning)
    return this.#advance(bytes, bytes.length) < bytes.length
  }

  /**
   * Computes the rows of a term, up to the first one that rules it out. Returns the number of rows that may still lead to a
   * match.
   */
  #advance(term: Uint8Array, length: number): number {
    const units = this.#units
    let i = 0
    while (i < this.#known && i < length && units[i] === term[i]) i++
    // The row that ruled out the previous term belongs to the common prefix, so it rules out this term as well.
    if (i > 0 && this.#isOver(i)) return i - 1
    for (this.#known = i; i < length; ) {
      units[i] = term[i]!
      this.#row(++i)
      this.#known = i
      if (this.#isOver(i)) return i - 1
    }
    return i
  }

  /** True if neither this row nor, by a transposition, the one before can lead to a match. */
  #isOver(i: number): boolean {
    return this.#least[i]! > this.#edits && this.#least[i - 1]! >= this.#edits
  }

  #row(i: number): void {
    const word = this.#word
    const units = this.#units
    const row = this.#rows[i]!
    const before = this.#rows[i - 1]!
    const unit = units[i - 1]!
    let least = i
    row[0] = i
    for (let j = 1; j <= word.length; j++) {
      const other = word.charCodeAt(j - 1)
      let best = Math.min(before[j - 1]! + (unit === other ? 0 : 1), before[j]! + 1, row[j - 1]! + 1)
      if (i > 1 && j > 1 && unit === word.charCodeAt(j - 2) && units[i - 2] === other)
        best = Math.min(best, this.#rows[i - 2]![j - 2]! + 1)
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
