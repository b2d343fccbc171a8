import { brotliDecompressSync } from 'node:zlib'

/** Maximum number of words that {@link WordList.match} reports. */
const MAX_WORDS = 20

/** The words of a dictionary that a text has at one place. It is filled again and again. */
export class WordMatch {
  /** The lengths of the words, ascending. The first `count` are valid. */
  readonly lengths = new Uint8Array(MAX_WORDS)
  count = 0
  /** Number of characters that were read until it was certain that no longer word matches. */
  reach = 0
}

/** The sorted words of a dictionary. Each byte of a word is one character: its code point minus the first one of the script. */
export class WordList {
  readonly #first: number
  readonly #bytes: Uint8Array
  /** Offset at which each word begins in the bytes, and then the number of bytes. */
  readonly #starts: Uint32Array
  /** For each byte, the index of the first word that begins with this byte or a higher one. */
  readonly #byFirst = new Uint32Array(257)

  constructor({ first, words, base64 }: { first: number; words: number; base64: string }) {
    this.#first = first
    this.#starts = new Uint32Array(words + 1)
    const encoded = brotliDecompressSync(Buffer.from(base64, 'base64'))
    const bytes: number[] = []
    for (let at = 0, word = 0; word < words; word++) {
      const shared = encoded[at++]!
      const rest = encoded[at++]!
      const before = this.#starts[word === 0 ? 0 : word - 1]!
      for (let i = 0; i < shared; i++) bytes.push(bytes[before + i]!)
      for (let i = 0; i < rest; i++) bytes.push(encoded[at++]!)
      this.#starts[word + 1] = bytes.length
    }
    this.#bytes = Uint8Array.from(bytes)
    for (let byte = 0, word = 0; byte <= 256; byte++) {
      while (word < words && this.#bytes[this.#starts[word]!]! < byte) word++
      this.#byFirst[byte] = word
    }
  }

  /** Finds the words with which `text[at, end)` begins. */
  match(text: string, at: number, end: number, found: WordMatch): void {
    found.count = 0
    found.reach = 0
    let low = 0
    let high = this.#starts.length - 1
    while (at + found.reach < end) {
      const depth = found.reach++
      const byte = text.charCodeAt(at + depth) - this.#first
      if (byte < 0 || byte > 255) return
      if (depth === 0) {
        low = this.#byFirst[byte]!
        high = this.#byFirst[byte + 1]!
      } else {
        low = this.#firstFrom(byte, depth, low, high)
        high = this.#firstFrom(byte + 1, depth, low, high)
      }
      if (low === high) return
      if (this.#lengthOf(low) > depth + 1) continue
      if (found.count < MAX_WORDS) found.lengths[found.count++] = depth + 1
      if (high === low + 1) return
    }
  }

  #lengthOf(word: number): number {
    return this.#starts[word + 1]! - this.#starts[word]!
  }

  /** Returns the first of the words `[low, high)` whose byte at offset `depth` is at least `byte`. All bytes before that offset are equal. */
  #firstFrom(byte: number, depth: number, low: number, high: number): number {
    let from = low
    let to = high
    while (from < to) {
      const middle = (from + to) >>> 1
      const isBelow = this.#lengthOf(middle) <= depth || this.#bytes[this.#starts[middle]! + depth]! < byte
      if (isBelow) from = middle + 1
      else to = middle
    }
    return from
  }
}
