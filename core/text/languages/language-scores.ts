import { analyzer } from './analyzers.ts'
import { hashOfNgram, type LanguageNgrams, languageNgrams } from './language-ngrams.ts'
import { moduleOfPackage } from './table/package-module.ts'

/**
 * The release of the language detector, the package eld. An index built with another release may have other terms, so the release is
 * part of the analyzer's identity.
 */
export const DETECTOR_VERSION = '2.1.0'

/** The scores of a text, by language. */
export interface LanguageScores {
  /** A score from 0 to 1 for each language that the text may be in, the highest first. The keys are ISO 639-1 codes. */
  scores: Map<string, number>
  /** True if the best score is as high as that of most texts in its language. */
  isReliable: boolean
}

/**
 * Returns a score for each language that a text may be in, by the n-grams that its words have in common with those of the language.
 * The scores are those of eld's `detect`, which makes a string of every n-gram and takes six times as long.
 *
 * @param text - only its first thousand UTF-16 units are read.
 */
export function languageScores(text: string): LanguageScores {
  detector ??= loadDetector()
  return detector.scores(text)
}

let detector: LanguageDetector | undefined

function loadDetector(): LanguageDetector {
  const { separators } = moduleOfPackage<{ separators: RegExp }>('eld', 'src/regexPatterns.js')
  const { dictionary } = moduleOfPackage<{ dictionary: string[] }>('eld', 'src/dictionary.js')
  const { avgScore } = moduleOfPackage<{ avgScore: Record<string, number> }>('eld', 'src/avgScore.js')
  return new LanguageDetector(languageNgrams(), { separators, dictionary, averageScores: avgScore })
}

/** Number of UTF-16 units of a text that are read. */
const UNITS = 1000
/** Number of bytes in UTF-8 after which the text is cut, at the end of a word or inside of one. */
const CUT_AFTER = 350
const CUT_INSIDE_AFTER = 380
/** Number of bytes of a word that are read, and number of bytes of an n-gram and between the beginnings of two. */
const WORD_BYTES = 70
const NGRAM = 4
const STRIDE = 3
/** A raw score of so much for each n-gram is half of the highest score. */
const SCALE = 25
/** A score counts as reliable from this share of the average score of texts in the language, and from this number of n-grams. */
const RELIABLE_SHARE = 0.75
const MIN_RELIABLE = 3
const SPACE = 32
const CAPITAL_SIGMA = 0x3a3
/** Marks a letter whose lower case has several units or depends on the letters beside it. */
const LONG = 0xffff
const APOSTROPHES = [0x27, 0x60, 0x2019]

/** The parts of eld that its detector is made of. */
interface DetectorParts {
  /** Matches what separates words: all but letters, and not the apostrophes before a letter. */
  separators: RegExp
  /** The character that n-grams have for each byte of UTF-8 from 0x80 on; Latin-1. */
  dictionary: readonly string[]
  averageScores: Readonly<Record<string, number>>
}

class LanguageDetector {
  readonly #ngrams: LanguageNgrams
  readonly #separators: RegExp
  readonly #averageScores: Readonly<Record<string, number>>
  /** By UTF-16 unit: the lower case of a letter, {@link LONG} if that has several units or depends on the letters beside it, and 0 for a unit that is no letter. */
  readonly #letters = new Uint16Array(0x10000)
  /** Per byte of UTF-8, the character that n-grams have for it. */
  readonly #characters: Uint8Array
  /** The words of the current text in lower case, with a space between two. */
  readonly #units = new Uint16Array(3 * UNITS)
  readonly #word = new Uint8Array(CUT_INSIDE_AFTER + 8)
  readonly #found = new NgramSet()
  readonly #raw: Float64Array

  constructor(ngrams: LanguageNgrams, { separators, dictionary, averageScores }: DetectorParts) {
    this.#ngrams = ngrams
    this.#separators = separators
    this.#averageScores = averageScores
    this.#raw = new Float64Array(ngrams.languages.length)
    this.#characters = Uint8Array.from(dictionary, (character, byte) => (byte < 0x80 ? byte : character.charCodeAt(0)))
    const all = String.fromCharCode(...Array.from({ length: 0x10000 }, (_, unit) => unit))
    const letters = all.replace(separators, run => ' '.repeat(run.length))
    for (let unit = 0; unit < 0x10000; unit++) {
      if (letters.charCodeAt(unit) !== unit || unit === SPACE || APOSTROPHES.includes(unit)) continue
      const lower = all.charAt(unit).toLowerCase()
      this.#letters[unit] = lower.length > 1 || unit === CAPITAL_SIGMA ? LONG : lower.charCodeAt(0)
    }
  }

  scores(text: string): LanguageScores {
    const raw = this.#raw.fill(0)
    const count = this.#addNgrams(this.#writeWords(text))
    const order = Array.from(raw.keys())
      .filter(language => raw[language]! > 0)
      .sort((a, b) => raw[b]! - raw[a]!)
    const { languages } = this.#ngrams
    const scaled = (language: number): number => raw[language]! / count / (raw[language]! / count + SCALE)
    const scores = new Map<string, number>()
    for (const language of order) scores.set(analyzer.languages.codeOf(languages[language]!), scaled(language))
    const [best, second] = order
    if (best === undefined || count < MIN_RELIABLE) return { scores, isReliable: false }
    const most = scaled(best)
    const isHigh = most >= this.#averageScores[languages[best]!]! * RELIABLE_SHARE
    // This should compare the two best scores, but eld compares with the number of the second language.
    return { scores, isReliable: isHigh && Math.abs(most - (second ?? 0)) >= 0.01 }
  }

  /** Writes the words of a text to {@link #units}. Returns the number of units. */
  #writeWords(text: string): number {
    const units = this.#units
    const read = Math.min(text.length, UNITS)
    let written = 0
    // True after a separator that begins no word yet.
    let isApart = false
    for (let at = 0; at < read; at++) {
      const letter = this.#letters[text.charCodeAt(at)]!
      if (letter === LONG) return this.#writeSlowly(text)
      if (letter !== 0) {
        if (isApart && written > 0) units[written++] = SPACE
        isApart = false
        units[written++] = letter
        continue
      }
      const start = at
      while (at + 1 < read && this.#letters[text.charCodeAt(at + 1)] === 0) at++
      // The apostrophes at the end of the separator belong to the next word.
      let end = at + 1
      while (end > start && APOSTROPHES.includes(text.charCodeAt(end - 1))) end--
      if (end > start) isApart = true
      if (end > at) continue
      if (isApart && written > 0) units[written++] = SPACE
      isApart = false
      for (; end <= at; end++) units[written++] = text.charCodeAt(end)
    }
    return written
  }

  /** Like {@link #writeWords}, for a text with letters whose lower case has several units or depends on others. */
  #writeSlowly(text: string): number {
    const lower = text.slice(0, UNITS).replace(this.#separators, ' ').trim().toLowerCase()
    for (let at = 0; at < lower.length; at++) this.#units[at] = lower.charCodeAt(at)
    return lower.length
  }

  /** Adds the weights of the distinct n-grams of the first words. Returns the number of n-grams. */
  #addNgrams(units: number): number {
    this.#found.clear()
    const word = this.#word
    let length = 0
    let bytes = 0
    for (let at = 0; at < units && bytes <= CUT_INSIDE_AFTER; at++) {
      const unit = this.#units[at]!
      if (unit === SPACE) {
        this.#addWord(length)
        length = 0
        if (bytes > CUT_AFTER) break
        bytes++
      } else if (unit < 0x80) {
        word[length++] = unit
        bytes++
      } else {
        const characters = this.#characters
        if (unit < 0x800) word[length++] = characters[0xc0 | (unit >> 6)]!
        else {
          word[length++] = characters[0xe0 | (unit >> 12)]!
          word[length++] = characters[0x80 | ((unit >> 6) & 0x3f)]!
        }
        word[length++] = characters[0x80 | (unit & 0x3f)]!
        bytes += unit < 0x800 ? 2 : 3
      }
    }
    this.#addWord(length)
    return this.#found.count
  }

  /** Adds the n-grams of a word: four bytes of it, or fewer at its end, with a space where the word begins or ends. */
  #addWord(length: number): void {
    if (length === 0) return
    const read = Math.min(length, WORD_BYTES)
    let at = 0
    for (; at + NGRAM < read; at += STRIDE) this.#addNgram(at, at + NGRAM, at === 0, false)
    const last = read === 3 ? 0 : Math.max(0, read - NGRAM)
    // The last n-gram of a word of which only a part is read goes to its end, and is so long that no language has it.
    this.#addNgram(last, length, at === 0, true)
  }

  #addNgram(start: number, end: number, isFirst: boolean, isLast: boolean): void {
    const word = this.#word
    if (end - start > NGRAM) {
      this.#found.addLong(String.fromCharCode(...word.subarray(start, end)))
      return
    }
    let key = isFirst ? 256 + SPACE : 1
    for (let at = start; at < end; at++) key = key * 256 + word[at]!
    if (isLast) key = key * 256 + SPACE
    if (this.#found.add(key)) this.#ngrams.table.addWeights(key, this.#raw)
  }
}

const SLOTS_LOG2 = 10
const SLOTS = 1 << SLOTS_LOG2

/** The distinct n-grams of one text, which has far fewer than {@link SLOTS}. */
class NgramSet {
  /** A hash table with open addressing; 0 if a slot is free. */
  readonly #keys = new Float64Array(SLOTS)
  readonly #long = new Set<string>()
  #count = 0

  get count(): number {
    return this.#count + this.#long.size
  }

  clear(): void {
    this.#keys.fill(0)
    this.#long.clear()
    this.#count = 0
  }

  /** Returns false if the n-gram was there already. */
  add(key: number): boolean {
    let slot = hashOfNgram(key) >>> (32 - SLOTS_LOG2)
    while (this.#keys[slot] !== 0) {
      if (this.#keys[slot] === key) return false
      slot = (slot + 1) % SLOTS
    }
    this.#keys[slot] = key
    this.#count++
    return true
  }

  addLong(ngram: string): void {
    this.#long.add(ngram)
  }
}
