import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, seededRandom } from '../apparatus/random.ts'

/** The sizes of a ModernBERT. */
export interface Sizes {
  layers: number
  width: number
  heads: number
  innerWidth: number
  vocabulary: number
}

/** The sizes of a model of 17 million parameters (ettin-17m). */
export const smallSizes: Sizes = { layers: 7, width: 256, heads: 4, innerWidth: 384, vocabulary: 50_368 }

const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]']
const POSITIONS = 7999

/** A word that is one token of the model. */
export function wordOf(number: number, { vocabulary }: Sizes): string {
  return `w${number % (vocabulary - special.length)}`
}

/**
 * Writes a reranking model with random weights, which takes the time and the memory of a trained one: `model.safetensors`, `config.json`
 * and `tokenizer.json`.
 */
export function writeRandomReranker(folder: string, sizes: Sizes, seed: number): void {
  const { layers, width, heads, innerWidth, vocabulary } = sizes
  const config = {
    architectures: ['ModernBertForSequenceClassification'],
    model_type: 'modernbert',
    num_labels: 1,
    hidden_size: width,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    intermediate_size: innerWidth,
    vocab_size: vocabulary,
    max_position_embeddings: POSITIONS,
    classifier_pooling: 'mean',
    global_attn_every_n_layers: 3,
    local_attention: 128,
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizerOf(sizes)))
  writeFileSync(join(folder, 'model.safetensors'), safetensors(shapesOf(sizes), seededRandom(seed)))
}

/** A tokenizer that has each word of {@link wordOf} as one token. */
function tokenizerOf(sizes: Sizes): object {
  const words = Array.from({ length: sizes.vocabulary - special.length }, (_, number) => wordOf(number, sizes))
  const vocab = Object.fromEntries([...special, ...words].map((token, id) => [token, id]))
  const added = special.map((content, id) => {
    return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
  })
  const tokens = ['[CLS]', '[SEP]'].map(id => [id, { id, ids: [special.indexOf(id)], tokens: [id] }])
  const [first, last] = ['[CLS]', '[SEP]'].map(id => ({ SpecialToken: { id, type_id: 0 } }))
  const sequence = (id: 'A' | 'B') => ({ Sequence: { id, type_id: 0 } })
  return {
    version: '1.0',
    added_tokens: added,
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [first, sequence('A'), last],
      pair: [first, sequence('A'), last, sequence('B'), last],
      special_tokens: Object.fromEntries(tokens),
    },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  }
}

function shapesOf({ layers, width, innerWidth, vocabulary }: Sizes): Map<string, number[]> {
  const shapes = new Map([
    ['embeddings.tok_embeddings.weight', [vocabulary, width]],
    ['embeddings.norm.weight', [width]],
  ])
  for (let layer = 0; layer < layers; layer++) {
    const name = `layers.${layer}`
    // The first layer gets the words normalized already.
    if (layer > 0) shapes.set(`${name}.attn_norm.weight`, [width])
    shapes.set(`${name}.attn.Wqkv.weight`, [3 * width, width])
    shapes.set(`${name}.attn.Wo.weight`, [width, width])
    shapes.set(`${name}.mlp_norm.weight`, [width])
    shapes.set(`${name}.mlp.Wi.weight`, [2 * innerWidth, width])
    shapes.set(`${name}.mlp.Wo.weight`, [width, innerWidth])
  }
  return shapes
    .set('final_norm.weight', [width])
    .set('head.dense.weight', [width, width])
    .set('head.norm.weight', [width])
    .set('classifier.weight', [1, width])
    .set('classifier.bias', [1])
}

/** Returns a file in the format safetensors, with tensors of random numbers: gains near 1, and weights near 0. */
function safetensors(shapes: ReadonlyMap<string, number[]>, random: Random): Uint8Array {
  const header: Record<string, { dtype: 'F32'; shape: number[]; data_offsets: [number, number] }> = {}
  let bytes = 0
  for (const [name, shape] of shapes) {
    const size = 4 * shape.reduce((product, length) => product * length, 1)
    header[name] = { dtype: 'F32', shape, data_offsets: [bytes, bytes + size] }
    bytes += size
  }
  const text = Buffer.from(JSON.stringify(header))
  const file = Buffer.alloc(8 + text.length + bytes)
  file.writeBigUInt64LE(BigInt(text.length))
  text.copy(file, 8)
  let at = 8 + text.length
  for (const [name, shape] of shapes) {
    const gain = name.includes('norm') ? 1 : 0
    const count = shape.reduce((product, length) => product * length, 1)
    for (let i = 0; i < count; i++, at += 4) file.writeFloatLE(gain + (random.next() - 0.5) / 10, at)
  }
  return file
}
