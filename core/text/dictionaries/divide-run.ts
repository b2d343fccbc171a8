import { type DictionaryScript, MAIYAMOK, PAIYANNOI, scriptOf } from './scripts.ts'
import { WordMatch } from './word-list.ts'

/** Number of successive words that are looked up before the first of them is chosen. */
const LOOKAHEAD = 3
/** Letters that begin no word of the dictionary may be joined to the word before them if that word has fewer letters than this. */
const ROOT_LETTERS = 3
/** Letters are not joined to the word before them if a look-up reads at least this many of them, since they then begin like another word. */
const PREFIX_LETTERS = 3

/** The words of the dictionary that begin at one place of a text. One of them is chosen. */
class PossibleWords {
  at = -1
  readonly #match = new WordMatch()
  #current = 0
  #chosen = 0

  /** Looks up the words at a place. Returns their number; the longest one is current and chosen. */
  look(text: string, at: number, end: number, script: DictionaryScript): number {
    if (at !== this.at) script.words().match(text, at, end, this.#match)
    this.at = at
    this.#current = this.#match.count - 1
    this.#chosen = this.#current
    return this.#match.count
  }

  /** The end of the current word. */
  get end(): number {
    return this.at + this.#match.lengths[this.#current]!
  }

  /** The number of letters of the chosen word. */
  get length(): number {
    return this.#match.lengths[this.#chosen]!
  }

  /** Number of letters that were looked at. */
  get reach(): number {
    return this.#match.reach
  }

  /** Makes the next shorter word the current one. Returns false if the current word is the shortest. */
  shorten(): boolean {
    if (this.#current <= 0) return false
    this.#current--
    return true
  }

  choose(): void {
    this.#chosen = this.#current
  }
}

/**
 * Divides `text[start, end)` into words: a run of letters of one script by its dictionary, everything between two such runs as
 * one word. Returns the ends of the words.
 */
export function divideRun(text: string, start: number, end: number): number[] {
  const ends: number[] = []
  for (let at = start; at < end; ) {
    const script = scriptOf(text.charCodeAt(at))
    let to = at + 1
    while (to < end && scriptOf(text.charCodeAt(to)) === script) to++
    if (script) divideLetters(text, at, to, script, ends)
    ends.push(to)
    at = to
  }
  return ends
}

/**
 * Appends the ends of the words of a run of letters, except that of the last word. This is the algorithm of ICU's dictionary-based
 * break engines (`dictbe.cpp`). Of the words that begin at a place, it takes the longest one after which two further words can follow.
 * Letters that begin no word are joined to a short word before them, or become a word that ends where a known word can begin.
 */
function divideLetters(text: string, start: number, end: number, script: DictionaryScript, ends: number[]): void {
  if (end - start < script.leastLetters) return
  const places = Array.from({ length: LOOKAHEAD }, () => new PossibleWords())
  let found = 0
  const nth = (ahead: number): PossibleWords => places[(found + ahead) % LOOKAHEAD]!
  const look = (ahead: number, at: number): number => nth(ahead).look(text, at, end, script)
  for (let at = start; at < end; ) {
    let to = at
    if (look(0, at) > 0) {
      chooseWord(nth(0), end, look, nth)
      to += nth(0).length
      found++
    }
    const isUnknown = to < end && to - at < ROOT_LETTERS && look(0, to) === 0
    if (isUnknown && (to === at || nth(0).reach < PREFIX_LETTERS)) {
      const hadWord = to > at
      to = endOfUnknown(text, to, end, script, place => look(1, place) > 0)
      if (!hadWord) found++
    }
    while (to < end && script.isMark(text.charCodeAt(to))) to++
    if (to < end && look(0, to) === 0) to = endOfSuffixes(text, to, end)
    if (to < end) ends.push(to)
    at = to
  }
}

/**
 * Chooses the longest word after which two further words can follow, or one word that ends the run. If there is none, chooses the shortest
 * word after which one word can follow, otherwise the longest word.
 */
function chooseWord(
  first: PossibleWords,
  end: number,
  look: (ahead: number, at: number) => number,
  nth: (ahead: number) => PossibleWords,
): void {
  if (first.end >= end) return
  do {
    if (look(1, first.end) === 0) continue
    first.choose()
    const second = nth(1)
    if (second.end >= end) return
    do if (look(2, second.end) > 0) return
    while (second.shorten())
  } while (first.shorten())
}

/** Returns the end of letters that begin no word: the place where a known word can begin, or the end of the run. */
function endOfUnknown(
  text: string,
  from: number,
  end: number,
  script: DictionaryScript,
  isWordAt: (at: number) => boolean,
): number {
  for (let at = from + 1; at < end; at++)
    if (script.mayEnd(text.charCodeAt(at - 1)) && script.mayBegin(text.charCodeAt(at)) && isWordAt(at)) return at
  return end
}

/** Returns the end of the Thai signs after a word that mark it as shortened or repeated. */
function endOfSuffixes(text: string, from: number, end: number): number {
  let at = from
  const before = text.charCodeAt(at - 1)
  if (text.charCodeAt(at) === PAIYANNOI && before !== PAIYANNOI && before !== MAIYAMOK) at++
  if (at < end && text.charCodeAt(at) === MAIYAMOK && text.charCodeAt(at - 1) !== MAIYAMOK) at++
  return at
}
