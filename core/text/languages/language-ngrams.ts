import { bytesOfPackage } from './table/package-module.ts'

/** The n-grams of each language, by which the language of a text is detected. */
export interface LanguageNgrams {
  /** The languages, ISO 639-1. A language's number is its index. */
  languages: readonly string[]
  table: NgramTable
}

/**
 * Reads the smallest data set of the detector into two megabytes of typed arrays. The detector's own objects would take
 * forty times as much memory in each thread.
 *
 * @param file - source of the module with the data. Default: the installed one.
 * @throws TypeError - the source has another format than the pinned release.
 */
export function languageNgrams(file: Uint8Array = bytesOfPackage('eld', 'src/ngrams/extrasmall.js')): LanguageNgrams {
  const [before, ngrams] = partsOf(Buffer.from(file.buffer, file.byteOffset, file.byteLength))
  const languages: string[] = []
  for (const [, number, code] of before.matchAll(/(\d+):'([a-z]+)'/g)) languages[Number(number)] = code!
  const table = new NgramTable(languages.length)
  readNgrams(ngrams, table)
  return { languages, table }
}

const OPENING = 'ngrams:{'

/** Splits the source into the part before the n-grams and the n-grams. A string of n-grams alone is Latin-1, which takes half the memory. */
function partsOf(file: Buffer): [before: string, ngrams: string] {
  const at = file.indexOf(OPENING)
  if (at < 0) throw unexpected(0)
  return [file.toString('utf8', 0, at), file.toString('utf8', at + OPENING.length)]
}

/** Reads n-grams of the form `'ab c':{9:51,37:20},…}`. The quotes may be missing. */
function readNgrams(source: string, table: NgramTable): void {
  let at = 0
  while (source[at] !== '}') {
    let key = ''
    const quote = source[at] === "'" || source[at] === '"' ? source[at++] : undefined
    for (const closing = quote ?? ':'; source[at] !== closing; at++) {
      if (source[at] === '\\' && quote !== undefined) at++
      if (at >= source.length || key.length >= LONGEST) throw unexpected(at)
      key += source[at]
    }
    if (quote !== undefined) at++
    if (source[at] !== ':' || source[at + 1] !== '{') throw unexpected(at)
    at += 2
    table.begin(key)
    for (let more = true; more; at++) {
      const colon = source.indexOf(':', at)
      const weightEnd = endOfNumber(source, colon + 1)
      table.add(numberAt(source, at, colon), numberAt(source, colon + 1, weightEnd))
      at = weightEnd
      more = source[at] === ','
      if (!more && source[at] !== '}') throw unexpected(at)
    }
    if (source[at] === ',') at++
  }
}

function endOfNumber(source: string, start: number): number {
  let at = start
  while (isDigit(source.charCodeAt(at))) at++
  return at
}

function numberAt(source: string, start: number, end: number): number {
  if (end <= start || end > start + 3) throw unexpected(start)
  let value = 0
  for (let at = start; at < end; at++) {
    const unit = source.charCodeAt(at)
    if (!isDigit(unit)) throw unexpected(at)
    value = value * 10 + unit - 48
  }
  return value
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57
}

function unexpected(at: number): TypeError {
  return new TypeError(`unexpected format in the n-grams of eld at character ${at}: install the pinned release of eld`)
}

/** Length of the longest n-gram: four bytes of a word, and a space on each side. */
const LONGEST = 6
const SLOTS_LOG2 = 17
const SLOTS = 1 << SLOTS_LOG2
const MORE = 0x8000

/** The file has the weights without this number, which each of them contains, to be shorter. */
const LEAST_WEIGHT = 53

/** A hash table of n-grams in Latin-1, with open addressing. */
export class NgramTable {
  readonly #languages: number
  /** For each slot, the key of its n-gram; 0 if the slot is free. */
  readonly #keys = new Float64Array(SLOTS)
  /** For each slot, the index of its n-gram's first weight in `#weights`. */
  readonly #first = new Uint32Array(SLOTS)
  /**
   * For each weight: the weight + 256 × language number. {@link MORE} is added to all but the last weight of an n-gram.
   */
  #weights = new Uint16Array(SLOTS)
  #count = 0
  #begun = -1

  /** @param languages - number of languages. */
  constructor(languages: number) {
    this.#languages = languages
  }

  /** Adds an n-gram. Its weights are then added by {@link add}. */
  begin(ngram: string): void {
    const key = keyOfNgram(ngram)
    const slot = this.#slotOf(key)
    if (key === 0 || this.#keys[slot] !== 0)
      throw new TypeError(
        `invalid or repeated n-gram "${ngram}" in the n-grams of eld: install the pinned release of eld`,
      )
    this.#keys[slot] = key
    this.#first[slot] = this.#count
    this.#begun = this.#count
  }

  add(language: number, weight: number): void {
    if (language >= this.#languages || language > 127 || weight > 255)
      throw new TypeError(
        `language ${language} or weight ${weight} is out of range in the n-grams of eld: install the pinned release of eld`,
      )
    if (this.#count > this.#begun) this.#weights[this.#count - 1]! |= MORE
    if (this.#count === this.#weights.length) {
      const larger = new Uint16Array(2 * this.#count)
      larger.set(this.#weights)
      this.#weights = larger
    }
    this.#weights[this.#count++] = (language << 8) | weight
  }

  /**
   * Adds the weights of an n-gram to the scores of their languages. Adds nothing for an n-gram that the table does not have.
   *
   * @param key - see {@link keyOfNgram}.
   * @param scores - by language number.
   */
  addWeights(key: number, scores: Float64Array): void {
    const slot = this.#slotOf(key)
    if (key === 0 || this.#keys[slot] !== key) return
    for (let at = this.#first[slot]!, more = true; more; at++) {
      const packed = this.#weights[at]!
      scores[(packed >> 8) & 127]! += (packed & 255) + LEAST_WEIGHT
      more = packed >= MORE
    }
  }

  /** Returns the slot of a key or, if the table does not have it, the free slot where it belongs. */
  #slotOf(key: number): number {
    let slot = hashOfNgram(key) >>> (32 - SLOTS_LOG2)
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & (SLOTS - 1)
    return slot
  }
}

/** Returns 32 bits of which the highest depend on the whole key. */
export function hashOfNgram(key: number): number {
  const high = Math.imul(Math.floor(key / 0x1_0000_0000), 0x85eb_ca6b)
  return Math.imul((key >>> 0) ^ high, 0x9e37_79b1) >>> 0
}

/** Returns the key of an n-gram: its characters, as the digits of a number that begins with 1. Returns 0 for a text that cannot be an n-gram. */
export function keyOfNgram(ngram: string): number {
  if (ngram.length === 0 || ngram.length > LONGEST) return 0
  let key = 1
  for (let at = 0; at < ngram.length; at++) {
    const unit = ngram.charCodeAt(at)
    if (unit > 255) return 0
    key = key * 256 + unit
  }
  return key
}
