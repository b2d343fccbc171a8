import { invalidModel } from '../files/invalid-model.ts'
import type { JsonFields } from '../files/json-fields.ts'
import { WHITE_SPACE } from './normalizers.ts'
import type { WordModel } from './word-model.ts'

/** The words of GPT-2, with the space before them. */
const WORD = new RegExp(
  `'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^${WHITE_SPACE}\\p{L}\\p{N}]+|[${WHITE_SPACE}]+(?![^${WHITE_SPACE}])|[${WHITE_SPACE}]+`,
  'gu',
)

/** Yields the words of a text as GPT-2 does. */
export function* gptWords(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) yield word
}

/** Ids are below this, so that two of them fit into one number. */
const ID_LIMIT = 2 ** 20
/** Positions in a word are below this. */
const POSITION_LIMIT = 2 ** 24
const encoder = new TextEncoder()

/** Byte-level BPE: the bytes of a word are merged in pairs, those with the lowest rank first. */
export class BytePairs implements WordModel {
  /** The id of each byte. */
  readonly #bytes: readonly number[]
  /** By the ids of a pair, `left × ID_LIMIT + right`: its rank and the id of both together, `rank × ID_LIMIT + id`. */
  readonly #merges = new Map<number, number>()
  readonly #ids: ReadonlyMap<string, number>
  readonly #takesWholeWords: boolean

  /**
   * @param model - the field `model` of a `tokenizer.json`.
   * @throws ASOF_MODEL_INVALID
   */
  constructor(model: JsonFields, ids: ReadonlyMap<string, number>) {
    for (const name of ['byte_fallback', 'fuse_unk'])
      if (model.boolean(name, false)) throw invalidModel(`tokenizer.json: ${name} is not supported`)
    for (const name of ['dropout', 'continuing_subword_prefix', 'end_of_word_suffix'])
      if (model.has(name) && model.value(name) !== '') throw invalidModel(`tokenizer.json: ${name} is not supported`)
    this.#ids = ids
    this.#takesWholeWords = model.boolean('ignore_merges', false)
    this.#bytes = byteCharacters.map(character => {
      const id = ids.get(character)
      if (id === undefined) throw invalidModel('tokenizer.json: the vocabulary lacks a byte')
      return id
    })
    for (const [rank, merge] of model.list('merges').entries()) {
      const [left, right, more] = typeof merge === 'string' ? merge.split(' ') : Array.isArray(merge) ? merge : []
      const pair = [ids.get(left), ids.get(right), ids.get(`${left}${right}`)]
      const [leftId, rightId, id] = pair
      if (leftId === undefined || rightId === undefined || id === undefined || more !== undefined)
        throw invalidModel('tokenizer.json: a merge is not of two tokens of the vocabulary')
      this.#merges.set(leftId * ID_LIMIT + rightId, rank * ID_LIMIT + id)
    }
  }

  pieces(word: string): number[] {
    const bytes = encoder.encode(word)
    if (this.#takesWholeWords) {
      const id = this.#ids.get(Array.from(bytes, byte => byteCharacters[byte]).join(''))
      if (id !== undefined) return [id]
    }
    return this.#merged(Array.from(bytes, byte => this.#bytes[byte] ?? 0))
  }

  /** Merges in n log n steps, so that a long word does not take quadratic time. */
  #merged(ids: number[]): number[] {
    const count = ids.length
    // A list that is linked both ways; a merged symbol has the id −1.
    const next = Int32Array.from({ length: count }, (_, i) => i + 1)
    const previous = Int32Array.from({ length: count }, (_, i) => i - 1)
    const queue = new MinimumHeap()
    const offer = (left: number): void => {
      const merge =
        left >= 0 && next[left]! < count ? this.#merges.get(ids[left]! * ID_LIMIT + ids[next[left]!]!) : undefined
      if (merge !== undefined) queue.push(Math.floor(merge / ID_LIMIT) * POSITION_LIMIT + left)
    }
    for (let i = 0; i < count - 1; i++) offer(i)
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      const left = key % POSITION_LIMIT
      const right = next[left]!
      if (ids[left]! < 0 || right >= count) continue
      const merge = this.#merges.get(ids[left]! * ID_LIMIT + ids[right]!)
      // The pair that was offered may have changed since.
      if (merge === undefined || Math.floor(merge / ID_LIMIT) !== Math.floor(key / POSITION_LIMIT)) continue
      ids[left] = merge % ID_LIMIT
      ids[right] = -1
      next[left] = next[right]!
      if (next[left]! < count) previous[next[left]!] = left
      offer(previous[left]!)
      offer(left)
    }
    return ids.filter(id => id >= 0)
  }
}

/** The characters by which a vocabulary writes the bytes 0 to 255: those that can be printed as they are, others from U+0100 on. */
const byteCharacters: readonly string[] = (() => {
  let others = 0
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173)
    return String.fromCharCode(isPrintable ? byte : 256 + others++)
  })
})()

/** A binary heap of numbers. */
class MinimumHeap {
  readonly #items: number[] = []

  push(item: number): void {
    const items = this.#items
    let at = items.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (items[parent]! <= item) break
      items[at] = items[parent]!
      at = parent
    }
    items[at] = item
  }

  pop(): number | undefined {
    const items = this.#items
    const [least] = items
    const item = items.pop()
    if (item === undefined || items.length === 0) return least
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      if (child + 1 < items.length && items[child + 1]! < items[child]!) child++
      if (items[child]! >= item) break
      items[at] = items[child]!
      at = child
    }
    items[at] = item
    return least
  }
}
