import { bytesOfPackage } from './package-module.ts'

/** By number of a language, what an n-gram counts for it. */
type Weights = Readonly<Record<number, number>>

/** The data of the detector, as its own module has them. */
export interface LanguageNgrams {
  type: string
  /** Codes of languages by number. */
  languages: Readonly<Record<number, string>>
  ngrams: Readonly<Record<string, Weights>>
}

/**
 * Reads the detector's smallest data, and keeps the n-grams in two megabytes of typed arrays: as the 50,000 objects that
 * they are written as, they would take each thread forty times as much. What they say is the same.
 *
 * @param file - the source of the module that has them. Default: that of the installed detector.
 * @throws TypeError - it is not written as that of the release that this was made for.
 */
export function languageNgrams(file: Uint8Array = bytesOfPackage('eld', 'src/ngrams/extrasmall.js')): LanguageNgrams {
  const [before, ngrams] = partsOf(Buffer.from(file.buffer, file.byteOffset, file.byteLength))
  const type = /\btype:'(\w+)'/.exec(before)?.[1] ?? ''
  const languages: Record<number, string> = {}
  for (const [, number, code] of before.matchAll(/(\d+):'([a-z]+)'/g)) languages[Number(number)] = code!
  const table = new NgramTable()
  readNgrams(ngrams, table)
  return { type, languages, ngrams: new Proxy({}, { get: (_, ngram) => table.weights(String(ngram)) }) }
}

const OPENING = 'ngrams:{'

/** The first part is small; the second is Latin-1 alone, and takes half the memory as a string of its own. */
function partsOf(file: Buffer): [before: string, ngrams: string] {
  const at = file.indexOf(OPENING)
  if (at < 0) throw unexpected(0)
  return [file.toString('utf8', 0, at), file.toString('utf8', at + OPENING.length)]
}

/** Reads `'ab c':{9:51,37:20},…}`: keys without quotes, too, as they are written where they may be. */
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
  return new TypeError(`the n-grams of eld are not written as expected at character ${at}: install the pinned release`)
}

/** An n-gram is four bytes of a word, and the spaces around it. */
const LONGEST = 6
const SLOTS_LOG2 = 17
const SLOTS = 1 << SLOTS_LOG2
const MORE = 0x8000

/** N-grams of Latin-1 letters, by open addressing. */
class NgramTable {
  readonly #keys = new Float64Array(SLOTS)
  readonly #first = new Uint32Array(SLOTS)
  /** Weight, number of the language × 256, and {@link MORE} on all but the last of an n-gram. */
  #weights = new Uint16Array(SLOTS)
  #count = 0
  #begun = -1

  begin(ngram: string): void {
    const key = keyOf(ngram)
    const slot = this.#slotOf(key)
    if (key === 0 || this.#keys[slot] !== 0) throw new TypeError(`the n-grams of eld have ${ngram} twice`)
    this.#keys[slot] = key
    this.#first[slot] = this.#count
    this.#begun = this.#count
  }

  add(language: number, weight: number): void {
    if (language > 127 || weight > 255) throw new TypeError(`the n-grams of eld have numbers too large`)
    if (this.#count > this.#begun) this.#weights[this.#count - 1]! |= MORE
    if (this.#count === this.#weights.length) {
      const larger = new Uint16Array(2 * this.#count)
      larger.set(this.#weights)
      this.#weights = larger
    }
    this.#weights[this.#count++] = (language << 8) | weight
  }

  weights(ngram: string): Weights | undefined {
    const key = keyOf(ngram)
    const slot = this.#slotOf(key)
    if (key === 0 || this.#keys[slot] !== key) return undefined
    const weights: Record<number, number> = {}
    for (let at = this.#first[slot]!; ; at++) {
      const packed = this.#weights[at]!
      weights[(packed >> 8) & 127] = packed & 255
      if (packed < MORE) return weights
    }
  }

  /** Where a key is, or would be. */
  #slotOf(key: number): number {
    const high = Math.imul(Math.floor(key / 0x1_0000_0000), 0x85eb_ca6b)
    let slot = Math.imul((key >>> 0) ^ high, 0x9e37_79b1) >>> (32 - SLOTS_LOG2)
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & (SLOTS - 1)
    return slot
  }
}

/** 0 for what can be no n-gram. */
function keyOf(ngram: string): number {
  if (ngram.length === 0 || ngram.length > LONGEST) return 0
  let key = 1
  for (let at = 0; at < ngram.length; at++) {
    const unit = ngram.charCodeAt(at)
    if (unit > 255) return 0
    key = key * 256 + unit
  }
  return key
}
