import { invalidModel } from '../files/invalid-model.ts'
import { JsonFields } from '../files/json-fields.ts'
import { WHITE_SPACE } from './normalizers.ts'
import { MAX_ID } from './token-ids.ts'
import type { WordModel } from './word-model.ts'

/** What a character that no piece has costs more than the least likely piece. */
const UNKNOWN_PENALTY = 10
/** Of a model with longer pieces, each place of a word would be tried too often. UTF-16 units. */
const MAX_PIECE_UNITS = 128
/** Stands for a space. */
const META = '\u2581'

const WORD = new RegExp(`[^${WHITE_SPACE}]+`, 'gu')

/**
 * Reads how a text is split before the pieces of {@link Unigram}: each word begins with the mark of a space.
 *
 * @param fields - the field `pre_tokenizer` of a `tokenizer.json`.
 * @throws ASOF_MODEL_INVALID
 */
export function readMarkedWords(fields: JsonFields): (text: string) => Iterable<string> {
  const type = fields.string('type')
  if (type === 'Metaspace') {
    expectAlways(fields)
    return text => parts(marked(text.replaceAll(' ', META)))
  }
  const [first, second, more] =
    type === 'Sequence'
      ? fields.list('pretokenizers').map(each => new JsonFields(each, 'tokenizer.json: a pre_tokenizer'))
      : []
  if (first?.string('type') !== 'WhitespaceSplit' || second?.string('type') !== 'Metaspace' || more)
    throw invalidModel(
      'tokenizer.json: the pre_tokenizer of Unigram is not supported; supported is Metaspace, also of words',
    )
  expectAlways(second)
  return function* (text) {
    for (const [word] of text.matchAll(WORD)) yield* parts(marked(word))
  }
}

function expectAlways(fields: JsonFields): void {
  const isAlways =
    fields.string('prepend_scheme', fields.boolean('add_prefix_space', true) ? 'always' : 'never') === 'always'
  if (isAlways && fields.string('replacement', META) === META && fields.boolean('split', true)) return
  throw invalidModel('tokenizer.json: the pre_tokenizer Metaspace is only supported with the mark before every word')
}

function marked(text: string): string {
  return text.startsWith(META) ? text : META + text
}

/** Splits before each mark. */
function parts(text: string): string[] {
  return text.split(/(?=\u2581)/u)
}

/** Unigram of SentencePiece: a word is the pieces whose sum of scores is the highest. */
export class Unigram implements WordModel {
  readonly #pieces = new Map<string, { id: number; score: number }>()
  readonly #unknown: number
  readonly #unknownScore: number
  /** The longest piece, in UTF-16 units. */
  readonly #longest: number

  /**
   * @param model - the field `model` of a `tokenizer.json`.
   * @throws ASOF_MODEL_INVALID
   */
  constructor(model: JsonFields) {
    if (model.boolean('byte_fallback', false)) throw invalidModel('tokenizer.json: byte_fallback is not supported')
    this.#unknown = model.integer('unk_id', 0, MAX_ID)
    let [least, longest] = [Number.POSITIVE_INFINITY, 0]
    for (const [id, entry] of model.list('vocab').entries()) {
      const [piece, score] = Array.isArray(entry) ? entry : []
      if (typeof piece !== 'string' || typeof score !== 'number' || !Number.isFinite(score) || id > MAX_ID)
        throw invalidModel('tokenizer.json: vocab is not a list of pieces and their scores')
      if (piece.length > MAX_PIECE_UNITS)
        throw invalidModel(`tokenizer.json: a piece is longer than ${MAX_PIECE_UNITS} characters`)
      // Of two equal pieces the last is found.
      this.#pieces.set(piece, { id, score })
      least = Math.min(least, score)
      longest = Math.max(longest, piece.length)
    }
    if (this.#unknown >= this.#pieces.size)
      throw invalidModel('tokenizer.json: the vocabulary lacks the token of unknown words')
    this.#unknownScore = least - UNKNOWN_PENALTY
    this.#longest = longest
  }

  pieces(word: string): number[] {
    const best = this.#bestPaths(word)
    const ids: number[] = []
    for (let end = word.length; end > 0; ) {
      const { id, from } = best[end]!
      // Unknown characters beside each other are one token.
      if (id !== this.#unknown || ids.at(-1) !== this.#unknown) ids.push(id)
      end = from
    }
    return ids.reverse()
  }

  /** Returns for each place that a piece ends at the best last piece, where it begins, and the score of all pieces up to there. */
  #bestPaths(word: string): ({ id: number; from: number; score: number } | undefined)[] {
    const best: ({ id: number; from: number; score: number } | undefined)[] = [{ id: -1, from: 0, score: 0 }]
    const improve = (end: number, id: number, from: number, score: number): void => {
      const before = best[end]
      if (!before || score > before.score) best[end] = { id, from, score }
    }
    for (let from = 0; from < word.length; ) {
      const step = stepAt(word, from)
      // A piece or an unknown character ends at each character.
      const soFar = best[from]!.score
      let hasSingle = false
      for (let end = from + step; end <= Math.min(word.length, from + this.#longest); end += stepAt(word, end)) {
        const piece = this.#pieces.get(word.slice(from, end))
        if (!piece) continue
        improve(end, piece.id, from, soFar + piece.score)
        if (end === from + step) hasSingle = true
      }
      if (!hasSingle) improve(from + step, this.#unknown, from, soFar + this.#unknownScore)
      from += step
    }
    return best
  }
}

/** The length of the character at a place, in UTF-16 units; 1 at the end. */
function stepAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
