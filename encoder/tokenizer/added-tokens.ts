import { invalidModel } from '../files/invalid-model.ts'
import { JsonFields } from '../files/json-fields.ts'
import { WHITE_SPACE } from './normalizers.ts'
import { MAX_ID } from './token-ids.ts'

/** Largest number of added tokens: the time to search for them grows with its square. Models have at most thousands. */
const MAX_TOKENS = 10_000

/** A token that texts may have as it is, such as `[SEP]`. */
interface AddedToken {
  id: number
  content: string
  /** True if it is searched in the normalized text, false if in the text as it is. */
  isNormalized: boolean
  /** True if it takes the white space before or after it. */
  takesBefore: boolean
  takesAfter: boolean
}

/** Finds the added tokens of a text: the leftmost, and of several there the longest. */
export class AddedTokens {
  readonly #tokens = new Map<string, AddedToken>()
  readonly #pattern: RegExp | undefined

  private constructor(tokens: readonly AddedToken[]) {
    for (const token of tokens) {
      if (token.content === '') throw invalidModel('tokenizer.json: an added token is empty')
      this.#tokens.set(token.content, token)
    }
    const contents = [...this.#tokens.keys()].sort((a, b) => b.length - a.length)
    if (contents.length > 0) this.#pattern = new RegExp(contents.map(escaped).join('|'), 'gu')
  }

  /**
   * Reads the field `added_tokens` of a `tokenizer.json`.
   *
   * @returns those that are searched in the text as it is, and those that are searched in the normalized text.
   * @throws ASOF_MODEL_INVALID
   */
  static read(
    list: readonly unknown[],
    normalize: (text: string) => string,
  ): { raw: AddedTokens; normalized: AddedTokens; ids: Map<string, number> } {
    if (list.length > MAX_TOKENS) throw invalidModel(`tokenizer.json has more than ${MAX_TOKENS} added tokens`)
    const tokens = list.map((value): AddedToken => {
      const fields = new JsonFields(value, 'tokenizer.json: an added token')
      const content = fields.string('content')
      if (fields.boolean('single_word', false)) throw invalidModel('tokenizer.json: single_word is not supported')
      return {
        id: fields.integer('id', 0, MAX_ID),
        content,
        isNormalized: fields.boolean('normalized', false),
        takesBefore: fields.boolean('lstrip', false),
        takesAfter: fields.boolean('rstrip', false),
      }
    })
    const normalized = tokens.filter(token => token.isNormalized)
    return {
      raw: new AddedTokens(tokens.filter(token => !token.isNormalized)),
      normalized: new AddedTokens(normalized.map(token => ({ ...token, content: normalize(token.content) }))),
      ids: new Map(tokens.map(({ content, id }) => [content, id])),
    }
  }

  /** Yields the parts of a text: added tokens as their ids, and what is between them. */
  *split(text: string): Generator<number | string> {
    let from = 0
    for (const { 0: content, index } of this.#pattern ? text.matchAll(this.#pattern) : []) {
      const token = this.#tokens.get(content)
      // White space after the token before may have taken this one.
      if (!token || index < from) continue
      const start = token.takesBefore ? from + text.slice(from, index).replace(SPACE_AT_END, '').length : index
      if (start > from) yield text.slice(from, start)
      yield token.id
      from = index + content.length
      if (token.takesAfter) from += SPACE_AT_START.exec(text.slice(from))?.[0].length ?? 0
    }
    if (from < text.length) yield text.slice(from)
  }
}

// Only white space at its first character is tried, so that long runs of it do not take quadratic time.
const SPACE_AT_END = new RegExp(`(?<![${WHITE_SPACE}])[${WHITE_SPACE}]+$`, 'u')
const SPACE_AT_START = new RegExp(`^[${WHITE_SPACE}]+`, 'u')

function escaped(content: string): string {
  return content.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
