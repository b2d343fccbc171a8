import { invalidModel } from '../files/invalid-model.ts'
import { JsonFields } from '../files/json-fields.ts'
import { AddedTokens } from './added-tokens.ts'
import { BytePairs, gptWords } from './byte-pairs.ts'
import { type Normalizer, readNormalizer } from './normalizers.ts'
import { Template } from './template.ts'
import { MAX_ID, type TokenIds } from './token-ids.ts'
import { readMarkedWords, Unigram } from './unigram.ts'
import type { WordModel } from './word-model.ts'
import { bertWords, WordPieces } from './word-pieces.ts'

/** Number of words whose pieces are kept in memory. */
const MAX_KNOWN_WORDS = 20_000
/** Words that are kept in memory have at most so many UTF-16 units. */
const MAX_KNOWN_LENGTH = 40
/** A text is read up to this many UTF-16 units for each token that the model can have. It bounds the time that a hostile text takes. */
export const READ_UNITS_PER_TOKEN = 128

/** Turns texts into the tokens of a model, as its `tokenizer.json` says: exactly as Hugging Face's tokenizers do. */
export class Tokenizer {
  readonly #normalize: Normalizer
  readonly #words: (text: string) => Iterable<string>
  readonly #model: WordModel
  readonly #added: { raw: AddedTokens; normalized: AddedTokens }
  readonly #template: Template
  readonly #known = new Map<string, readonly number[]>()
  /** The largest id of a token. */
  readonly largestId: number

  /**
   * @param file - a `tokenizer.json`.
   * @throws ASOF_MODEL_INVALID - it is damaged, or has a part that is not supported.
   */
  constructor(file: Uint8Array) {
    const fields = JsonFields.parse(file, 'tokenizer.json')
    this.#normalize = readNormalizer(fields.value('normalizer'))
    const added = AddedTokens.read(fields.has('added_tokens') ? fields.list('added_tokens') : [], this.#normalize)
    this.#added = added
    const model = fields.object('model')
    const ids = new Map(added.ids)
    for (const [piece, id] of piecesOf(model)) {
      if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id > MAX_ID)
        throw invalidModel(`tokenizer.json: the id of a token is not an integer from 0 to ${MAX_ID}`)
      ids.set(piece, id)
    }
    this.#template = new Template(fields.value('post_processor'))
    let largest = 0
    for (const id of [...ids.values(), ...this.#template.ids]) largest = Math.max(largest, id)
    this.largestId = largest
    this.#model = readModel(model, ids)
    this.#words = readWords(fields.object('pre_tokenizer'), this.#model instanceof Unigram)
  }

  /** Returns the tokens of a text, with special tokens, at most `maxTokens`. */
  encode(text: string, maxTokens: number): TokenIds {
    return this.#template.fill([this.#ids(text, maxTokens, maxTokens)], maxTokens)
  }

  /** Returns the tokens of two texts, such as a query and a passage, with special tokens, at most `maxTokens`. */
  encodePair(first: string, second: string, maxTokens: number): TokenIds {
    const ids = [first, second].map(text => this.#ids(text, maxTokens, Number.POSITIVE_INFINITY))
    return this.#template.fill([ids[0] ?? [], ids[1]], maxTokens)
  }

  /** The ids of a text, and no more than are needed. */
  #ids(text: string, maxTokens: number, needed: number): number[] {
    const ids: number[] = []
    for (const part of this.#added.raw.split(text.slice(0, READ_UNITS_PER_TOKEN * maxTokens))) {
      if (typeof part === 'number') ids.push(part)
      else
        for (const piece of this.#added.normalized.split(this.#normalize(part))) {
          if (typeof piece === 'number') ids.push(piece)
          else
            for (const word of this.#words(piece)) {
              for (const id of this.#pieces(word)) ids.push(id)
              if (ids.length >= needed) return ids
            }
        }
    }
    return ids
  }

  #pieces(word: string): readonly number[] {
    if (word.length > MAX_KNOWN_LENGTH) return this.#model.pieces(word)
    const known = this.#known.get(word)
    if (known) return known
    const pieces = this.#model.pieces(word)
    if (this.#known.size >= MAX_KNOWN_WORDS) this.#known.clear()
    this.#known.set(word, pieces)
    return pieces
  }
}

/** Yields the pieces of a vocabulary and their ids. That of Unigram is a list of pieces and their scores. */
function piecesOf(model: JsonFields): Iterable<[string, unknown]> {
  if (!Array.isArray(model.value('vocab'))) return model.object('vocab').entries()
  return model.list('vocab').map((entry, id) => [String(Array.isArray(entry) ? entry[0] : entry), id])
}

function readModel(model: JsonFields, ids: ReadonlyMap<string, number>): WordModel {
  // Files of before the field was added have WordPiece, which alone has a prefix.
  const type = model.string('type', model.has('merges') ? 'BPE' : 'WordPiece')
  if (type === 'Unigram') return new Unigram(model)
  if (type === 'WordPiece') return new WordPieces(model, ids)
  if (type === 'BPE') return new BytePairs(model, ids)
  throw invalidModel(
    `tokenizer.json: the model ${type} is not supported; supported are WordPiece, BPE of bytes and Unigram`,
  )
}

/**
 * Reads how a text is split into words, from the field `pre_tokenizer`.
 *
 * @param isUnigram - true if the pieces of words have marks for spaces.
 */
function readWords(fields: JsonFields, isUnigram: boolean): (text: string) => Iterable<string> {
  if (isUnigram) return readMarkedWords(fields)
  const type = fields.string('type')
  if (type === 'BertPreTokenizer') return bertWords
  if (type !== 'ByteLevel' || !fields.boolean('use_regex', true))
    throw invalidModel(
      `tokenizer.json: the pre_tokenizer ${type} is not supported; supported are BertPreTokenizer and ByteLevel`,
    )
  return fields.boolean('add_prefix_space', true)
    ? text => gptWords(text.startsWith(' ') ? text : ` ${text}`)
    : gptWords
}
