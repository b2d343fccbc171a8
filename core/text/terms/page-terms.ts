import { isLowSurrogate } from '@asof/extract/characters'
import { FIRST_BIGRAM, HANGUL } from '../characters/char-table.ts'
import { NOT_AS_WRITTEN } from '../languages/english-endings.ts'
import { isHan } from '../languages/script-census.ts'
import { dictionaryTerm, dictionaryWords, HAN_GROUP } from './dictionary-words.ts'
import { koreanPageTerms } from './korean-words.ts'
import { hasStems, stemCache } from './language-terms.ts'
import { isSpelledOut, spelledOut } from './spelled-out.ts'
import { termInterner, WORD_ID_BITS, WORD_IDS } from './term-interner.ts'
import { classAt, sizeAt, TokenBuffer } from './tokens.ts'
import { foldToTerm } from './word-term.ts'

/**
 * The terms of a page: its tokens, and further terms at the positions of these tokens. Further terms are stems, words
 * that a dictionary found, Korean words, spellings without umlauts, and single Chinese characters. Further terms do not count in the length of the page.
 */
export class PageTerms extends TokenBuffer {
  /** For each token, 1 if the page's term vector leaves it out because another token stands for the same text. */
  unlisted: Uint8Array<ArrayBuffer> = new Uint8Array(1024)

  /**
   * Appends the tokens `[from, to)` of a text and their further terms.
   *
   * @param language - ISO 639-1; '' if unknown.
   */
  extend(text: string, tokens: TokenBuffer, from: number, to: number, language: string): void {
    const stems = hasStems(language)
    for (let at = from; at < to; ) {
      const charClass = classAt(text, tokens.starts[at]!)
      if (charClass < FIRST_BIGRAM) {
        this.#word(text, tokens, at, stems && !tokens.isSymbol(at) ? language : '')
        at++
        continue
      }
      const end = endOfRun(tokens, at, to)
      if (charClass === HAN_GROUP) this.#han(text, tokens, at, end)
      else if (charClass === HANGUL) this.#korean(text, tokens, at, end)
      else this.#dictionary(text, tokens, at, end)
      at = end
    }
  }

  #word(text: string, tokens: TokenBuffer, at: number, language: string): void {
    const id = tokens.ids[at]!
    const position = tokens.positions[at]!
    const start = tokens.starts[at]!
    const end = tokens.ends[at]!
    const stem = language === '' ? id : stemCache.idOf(text, start, end, language)
    this.#add(id, position, start, end, stem !== id, tokens.endings[at])
    if (stem !== id) this.#add(stem, position, start, end, false, NOT_AS_WRITTEN)
    if (!isSpelledOut(language)) return
    const spelled = spelledOut(text.slice(start, end))
    if (spelled === '') return
    const word = termInterner.numberOfWord(spelled)
    this.#add(word & WORD_IDS, position, start, end, true, word >>> WORD_ID_BITS)
  }

  /** Adds the bigrams of a Han or Kana run, and each Chinese character as a term. */
  #han(text: string, tokens: TokenBuffer, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const id = tokens.ids[at]!
      const position = tokens.positions[at]!
      const start = tokens.starts[at]!
      const end = tokens.ends[at]!
      this.#add(id, position, start, end, false)
      const term = termInterner.term(id)
      const first = term.codePointAt(0)!
      const firstUnits = first < 0x10000 ? 1 : 2
      if (term.length === firstUnits) continue
      if (isHan(first)) this.#add(idOfCharacter(first), position, start, start + sizeAt(text, start), true)
      if (at < to - 1) continue
      const second = term.codePointAt(firstUnits)!
      const secondUnits = isLowSurrogate(text.charCodeAt(end - 1)) ? 2 : 1
      if (isHan(second)) this.#add(idOfCharacter(second), position + 1, end - secondUnits, end, true)
    }
  }

  /** Adds the bigrams of a run, and the words that a dictionary finds, each at the position of its first character. */
  #dictionary(text: string, tokens: TokenBuffer, from: number, to: number): void {
    const words = dictionaryWords(text, tokens.starts[from]!, tokens.ends[to - 1]!)
    let next = 0
    for (let at = from; at < to; at++) {
      const start = tokens.starts[at]!
      this.#add(tokens.ids[at]!, tokens.positions[at]!, start, tokens.ends[at]!, false)
      for (; next < words.length && words[next]!.start <= start; next++) {
        const word = words[next]!
        const term = dictionaryTerm(foldToTerm(text.slice(word.start, word.end)))
        this.#add(termInterner.idOfTerm(term), tokens.positions[at]!, word.start, word.end, true)
      }
    }
  }

  /** Adds the bigrams of a Korean word, and the word at the position of its first character. */
  #korean(text: string, tokens: TokenBuffer, from: number, to: number): void {
    const start = tokens.starts[from]!
    const end = tokens.ends[to - 1]!
    for (let at = from; at < to; at++) {
      this.#add(tokens.ids[at]!, tokens.positions[at]!, tokens.starts[at]!, tokens.ends[at]!, false)
      if (at > from) continue
      for (const term of koreanPageTerms(text.slice(start, end)))
        this.#add(termInterner.idOfTerm(term), tokens.positions[at]!, start, end, true)
    }
  }

  #add(id: number, position: number, start: number, end: number, unlisted: boolean, ending = 0): void {
    const at = this.count
    this.push(id, position, start, end, ending)
    if (at >= this.unlisted.length) {
      const larger = new Uint8Array(this.positions.length)
      larger.set(this.unlisted)
      this.unlisted = larger
    }
    this.unlisted[at] = unlisted ? 1 : 0
  }
}

/** True if there may be further terms for these tokens. */
export function mayAddTerms(tokens: TokenBuffer, language: string): boolean {
  return tokens.runs > 0 || hasStems(language)
}

/**
 * Returns the index after the last token of a run. The run is of one script without spaces and contains the token at
 * `from`.
 */
function endOfRun(tokens: TokenBuffer, from: number, to: number): number {
  let at = from + 1
  while (at < to && tokens.starts[at]! < tokens.ends[at - 1]!) at++
  return at
}

/** The ids of terms of one character, by code point. */
const characters = new Map<number, number>()
/** The generation of the {@link termInterner} in which these ids are valid. */
let charactersGeneration = -1

function idOfCharacter(codePoint: number): number {
  if (charactersGeneration !== termInterner.generation) {
    characters.clear()
    charactersGeneration = termInterner.generation
  }
  let id = characters.get(codePoint)
  if (id === undefined) {
    id = termInterner.idOfTerm(String.fromCodePoint(codePoint))
    characters.set(codePoint, id)
  }
  return id
}
