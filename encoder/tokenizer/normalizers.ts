import { invalidModel } from '../files/invalid-model.ts'
import { JsonFields } from '../files/json-fields.ts'
import { bertCharacters } from './bert-characters.ts'
import { precompiledNormalizer } from './precompiled.ts'

/** Rewrites a text before it is split into words. */
export type Normalizer = (text: string) => string

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const

/** Largest depth of sequences in sequences. */
const MAX_DEPTH = 8

/**
 * Reads the field `normalizer` of a `tokenizer.json`.
 *
 * @param depth - the number of sequences that it is in.
 * @throws ASOF_MODEL_INVALID - it has a type that the encoder does not know, or too many sequences in sequences.
 */
export function readNormalizer(value: unknown, depth = 0): Normalizer {
  if (depth > MAX_DEPTH) throw invalidModel('tokenizer.json: normalizer has too many sequences in sequences')
  if (value === undefined || value === null) return text => text
  const fields = new JsonFields(value, 'tokenizer.json: normalizer')
  const type = fields.string('type')
  if (type === 'BertNormalizer') return bertNormalizer(fields)
  if (type === 'Lowercase') return lowered
  if (type === 'StripAccents') return text => text.replace(MARKS, '')
  if (type === 'Sequence') {
    const steps = fields.list('normalizers').map(step => readNormalizer(step, depth + 1))
    return text => steps.reduce((done, step) => step(done), text)
  }
  if (type === 'Precompiled') return precompiledNormalizer(fields.string('precompiled_charsmap'))
  if (type === 'Replace') return replacing(fields)
  const form = forms.find(each => each === type)
  if (!form) throw invalidModel(`tokenizer.json: the normalizer ${type} is not supported`)
  return text => text.normalize(form)
}

/** The only expression that models with Unigram have: it joins spaces. */
const SPACES = ' {2,}'

function replacing(fields: JsonFields): Normalizer {
  const pattern = fields.object('pattern')
  const content = fields.string('content')
  // No text becomes longer.
  if (pattern.has('String')) {
    const replaced = pattern.string('String')
    if (replaced !== '' && content.length <= replaced.length) return text => text.replaceAll(replaced, () => content)
  } else if (pattern.string('Regex') === SPACES && content.length <= 2)
    return text => text.replace(/ {2,}/g, () => content)
  throw invalidModel('tokenizer.json: this normalizer Replace is not supported; supported is a text, or runs of spaces')
}

/** White space as Unicode has it. That of JavaScript lacks U+0085 and has U+FEFF. */
export const WHITE_SPACE = '\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const REMOVED = new RegExp(`[${bertCharacters.removed}]+`, 'gu')
const SPACE = new RegExp(`[${bertCharacters.spaces}]`, 'gu')
const MARKS = new RegExp(`[${bertCharacters.marks}]+`, 'gu')
/** Characters that are a word each. The gap at U+2B820 is that of Hugging Face's tokenizer. */
const IDEOGRAPH =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu

function bertNormalizer(fields: JsonFields): Normalizer {
  const cleans = fields.boolean('clean_text', true)
  const splits = fields.boolean('handle_chinese_chars', true)
  const lowers = fields.boolean('lowercase', true)
  const strips = fields.boolean('strip_accents', lowers)
  return given => {
    let text = given
    if (cleans) text = text.replace(REMOVED, '').replace(SPACE, ' ')
    if (splits) text = text.replace(IDEOGRAPH, ' $& ')
    if (strips) text = text.normalize('NFD').replace(MARKS, '')
    return lowers ? lowered(text) : text
  }
}

/** Lower case of each character alone: a sigma at the end of a word is like any other. */
function lowered(text: string): string {
  return text.replaceAll('Σ', 'σ').toLowerCase()
}
