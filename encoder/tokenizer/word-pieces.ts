import { invalidModel } from '../files/invalid-model.ts'
import type { JsonFields } from '../files/json-fields.ts'
import { bertCharacters } from './bert-characters.ts'
import { WHITE_SPACE } from './normalizers.ts'
import type { WordModel } from './word-model.ts'

/** White space separates words, and each punctuation character is a word. */
const { punctuation } = bertCharacters
const WORD = new RegExp(`[${punctuation}]|[^${WHITE_SPACE}${punctuation}]+`, 'gu')

/** Yields the words of a text as BERT does. */
export function* bertWords(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) yield word
}

/** WordPiece: a word is the longest pieces of the vocabulary, from its beginning on. */
export class WordPieces implements WordModel {
  readonly #ids: ReadonlyMap<string, number>
  readonly #unknown: number
  readonly #prefix: string
  readonly #longest: number
  /** The longest piece, in UTF-16 units. */
  readonly #longestPiece: number

  /**
   * @param model - the field `model` of a `tokenizer.json`.
   * @throws ASOF_MODEL_INVALID
   */
  constructor(model: JsonFields, ids: ReadonlyMap<string, number>) {
    this.#ids = ids
    this.#prefix = model.string('continuing_subword_prefix', '##')
    this.#longest = model.integer('max_input_chars_per_word', 1, 1000, 100)
    const unknown = ids.get(model.string('unk_token', '[UNK]'))
    if (unknown === undefined) throw invalidModel('tokenizer.json: the vocabulary lacks the token of unknown words')
    this.#unknown = unknown
    let longestPiece = 0
    for (const piece of ids.keys()) longestPiece = Math.max(longestPiece, piece.length)
    this.#longestPiece = longestPiece
  }

  pieces(word: string): number[] {
    if (isLongerThan(word, this.#longest)) return [this.#unknown]
    const pieces: number[] = []
    for (let from = 0; from < word.length; ) {
      const prefix = from > 0 ? this.#prefix : ''
      let to = Math.min(word.length, from + this.#longestPiece)
      let id: number | undefined
      for (; to > from && id === undefined; to--) id = this.#ids.get(prefix + word.slice(from, to))
      if (id === undefined) return [this.#unknown]
      pieces.push(id)
      from = to + 1
    }
    return pieces
  }
}

/** True if a word has more characters (not UTF-16 units) than a limit. */
function isLongerThan(word: string, limit: number): boolean {
  if (word.length <= limit) return false
  return word.length > 2 * limit || [...word].length > limit
}
