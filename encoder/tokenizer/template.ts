import { invalidModel } from '../files/invalid-model.ts'
import { JsonFields } from '../files/json-fields.ts'
import { MAX_ID, type TokenIds } from './token-ids.ts'

/** Largest number of special tokens of a template: texts of 8 tokens, the shortest that can be asked for, have room for one more. */
const MAX_SPECIAL_TOKENS = 7

/** A place in a template: a token, or all tokens of the first (0) or second (1) text. */
type Place = { token: number; type: number } | { text: 0 | 1; type: number }

/** Which special tokens stand around the tokens of a text, and of a pair of texts. */
export class Template {
  readonly #single: readonly Place[]
  readonly #pair: readonly Place[]

  /**
   * Reads the field `post_processor` of a `tokenizer.json`.
   *
   * @throws ASOF_MODEL_INVALID
   */
  constructor(value: unknown) {
    const processor = templateOf(value)
    const ids = processor.object('special_tokens')
    const places = (name: string, texts: number): Place[] => {
      const read = processor.list(name).map(place => readPlace(place, ids))
      // Each text has one place, so that the tokens are as many as `fill` counts.
      const found = read.flatMap(place => ('text' in place ? place.text : []))
      const isComplete = found.length === texts && new Set(found).size === texts && found.every(text => text < texts)
      if (!isComplete) throw invalidModel(`tokenizer.json: the template ${name} does not have each text once`)
      if (read.length - texts > MAX_SPECIAL_TOKENS)
        throw invalidModel(`tokenizer.json: the template ${name} has more than ${MAX_SPECIAL_TOKENS} special tokens`)
      return read
    }
    this.#single = places('single', 1)
    this.#pair = places('pair', 2)
  }

  /** The special tokens of a text, or of a pair. */
  get ids(): number[] {
    return [...this.#single, ...this.#pair].flatMap(place => ('token' in place ? place.token : []))
  }

  /**
   * Puts special tokens around texts, and cuts them so that all tokens are at most `maxTokens`. Of a pair the longer text is cut first.
   *
   * @param texts - the ids of one or two texts.
   */
  fill(texts: readonly [readonly number[], (readonly number[])?], maxTokens: number): TokenIds {
    const [first, second] = texts
    const places = second ? this.#pair : this.#single
    const room = Math.max(0, maxTokens - places.filter(place => 'token' in place).length)
    const counts = second ? longestFirst(first.length, second.length, room) : [Math.min(first.length, room)]
    const ids: number[] = []
    const types: number[] = []
    for (const place of places) {
      const tokens = 'token' in place ? [place.token] : texts[place.text]?.slice(0, counts[place.text])
      for (const token of tokens ?? []) {
        ids.push(token)
        types.push(place.type)
      }
    }
    return { ids, types }
  }
}

/** How many tokens of two texts are kept, as Hugging Face's strategy "longest first" has it. */
function longestFirst(first: number, second: number, room: number): [number, number] {
  if (first + second <= room) return [first, second]
  const shorter = Math.min(first, second)
  const kept = shorter > room ? shorter : Math.max(shorter, room - shorter)
  const half = Math.floor(room / 2)
  const [short, long] = shorter + kept > room ? [half, half + (room % 2)] : [shorter, kept]
  return first > second ? [long, short] : [short, long]
}

/** Finds the template, which may be one of a sequence of processors. */
function templateOf(value: unknown): JsonFields {
  const fields = new JsonFields(value, 'tokenizer.json: post_processor')
  const type = fields.string('type')
  if (type === 'TemplateProcessing') return fields
  if (type === 'Sequence')
    for (const processor of fields.list('processors')) {
      if (new JsonFields(processor, 'tokenizer.json: processors').string('type') === 'TemplateProcessing')
        return new JsonFields(processor, 'tokenizer.json: post_processor')
    }
  throw invalidModel(`tokenizer.json: the post_processor ${type} is not supported`)
}

function readPlace(value: unknown, ids: JsonFields): Place {
  const place = new JsonFields(value, 'tokenizer.json: a template')
  if (place.has('Sequence')) {
    const sequence = place.object('Sequence')
    return { text: sequence.string('id') === 'A' ? 0 : 1, type: sequence.integer('type_id', 0, 1) }
  }
  const special = place.object('SpecialToken')
  const [token, more] = ids.object(special.string('id')).list('ids')
  if (typeof token !== 'number' || !Number.isInteger(token) || token < 0 || token > MAX_ID || more !== undefined)
    throw invalidModel('tokenizer.json: a special token of the template is not one token')
  return { token, type: special.integer('type_id', 0, 1) }
}
