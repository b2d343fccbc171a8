import { invalidModel } from '../files/invalid-model.ts'
import type { JsonFields } from '../files/json-fields.ts'

/** How the vectors of the tokens of a text become one: their mean, or the vector of the first token. */
export type Pooling = 'mean' | 'cls'

/** The sizes of an encoder, and what else its weights do not say. */
export interface EncoderShape {
  architecture: 'bert' | 'modernbert'
  /** Numbers in the vector of a token: a multiple of 8. */
  width: number
  layers: number
  heads: number
  /** Numbers between the two products of a feed-forward layer: a multiple of 8. */
  innerWidth: number
  vocabulary: number
  /** Number of tokens of the longest text that the model can read. */
  positions: number
  epsilon: number
  /** ModernBERT: for each layer, whether a token sees all others. Empty for BERT, where it always does. */
  isGlobal: readonly boolean[]
  /** ModernBERT: how far a token sees in the other layers. */
  window: number
  /** ModernBERT: the bases of the angles of positions. */
  globalTheta: number
  localTheta: number
  /** Number of scores of a model that classifies texts, 0 for one that embeds them. */
  labels: number
  /** ModernBERT: the pooling before the scores. */
  classifierPooling: Pooling
}

/** Limits of the sizes of a model, so that a hostile file cannot ask for much more memory than it has bytes. */
const MAX_WIDTH = 8192
const MAX_LAYERS = 128
const MAX_VOCABULARY = 1_000_000
const MAX_POSITIONS = 131_072
const MAX_LABELS = 64

/**
 * Reads the `config.json` of a model, as `transformers` writes it.
 *
 * @throws ASOF_MODEL_INVALID - it is incomplete, or a model that the encoder cannot run.
 */
export function readShape(config: JsonFields): EncoderShape {
  const architecture = config.string('model_type')
  if (architecture !== 'bert' && architecture !== 'modernbert')
    throw invalidModel(`config.json: model_type is ${architecture}; supported are bert and modernbert`)
  const isModern = architecture === 'modernbert'
  const activation = config.string(isModern ? 'hidden_activation' : 'hidden_act', 'gelu')
  if (activation !== 'gelu') throw invalidModel(`config.json: the activation is ${activation}; supported is gelu`)
  if (config.string('position_embedding_type', 'absolute') !== 'absolute' && !isModern)
    throw invalidModel('config.json: position_embedding_type is not absolute')
  const layers = config.integer('num_hidden_layers', 1, MAX_LAYERS)
  const names = config.has('architectures') ? config.list('architectures') : []
  const isClassifier = names.some(name => typeof name === 'string' && name.endsWith('ForSequenceClassification'))
  const shape: EncoderShape = {
    architecture,
    width: config.integer('hidden_size', 8, MAX_WIDTH),
    layers,
    heads: config.integer('num_attention_heads', 1, MAX_WIDTH / 8),
    innerWidth: config.integer('intermediate_size', 8, 2 * MAX_WIDTH),
    vocabulary: config.integer('vocab_size', 1, MAX_VOCABULARY),
    positions: config.integer('max_position_embeddings', 8, MAX_POSITIONS),
    epsilon: isModern ? config.positive('norm_eps', 1e-5) : config.positive('layer_norm_eps', 1e-12),
    isGlobal: isModern ? globalLayers(config, layers) : [],
    window: isModern ? Math.floor(config.integer('local_attention', 2, MAX_POSITIONS, 128) / 2) : 0,
    globalTheta: isModern ? theta(config, 'full_attention', 'global_rope_theta', 160_000) : 0,
    localTheta: isModern ? theta(config, 'sliding_attention', 'local_rope_theta', 10_000) : 0,
    labels: isClassifier ? labelCount(config) : 0,
    classifierPooling: isModern && config.string('classifier_pooling', 'cls') === 'mean' ? 'mean' : 'cls',
  }
  if (isModern)
    for (const name of ['attention_bias', 'mlp_bias', 'norm_bias', 'classifier_bias'])
      if (config.boolean(name, false)) throw invalidModel(`config.json: ${name} is not supported`)
  checkShape(shape)
  return shape
}

/** @throws ASOF_MODEL_INVALID - the kernel cannot run a model of these sizes. */
export function checkShape({ width, heads, innerWidth }: EncoderShape): void {
  const headWidth = width / heads
  if (width % 8 || innerWidth % 8 || headWidth % 8)
    throw invalidModel(`the sizes of the model (${width}, ${heads} heads, ${innerWidth}) are not multiples of 8`)
}

function labelCount(config: JsonFields): number {
  if (config.has('num_labels')) return config.integer('num_labels', 1, MAX_LABELS)
  // Without the names of labels, `transformers` means two.
  return config.has('id2label') ? Math.max(1, [...config.object('id2label').entries()].length) : 2
}

/** Reads which layers are global, by the list of layer types or, in older files, by their distance. */
function globalLayers(config: JsonFields, layers: number): boolean[] {
  if (!config.has('layer_types')) {
    const distance = config.integer('global_attn_every_n_layers', 1, MAX_LAYERS, 3)
    return Array.from({ length: layers }, (_, layer) => layer % distance === 0)
  }
  const types = config.list('layer_types')
  if (types.length !== layers) throw invalidModel('config.json: layer_types does not name every layer')
  return types.map(type => {
    if (type !== 'full_attention' && type !== 'sliding_attention')
      throw invalidModel('config.json: layer_types has an unknown type')
    return type === 'full_attention'
  })
}

function theta(config: JsonFields, type: string, name: string, absent: number): number {
  if (!config.has('rope_parameters')) return config.positive(name, absent)
  const all = config.object('rope_parameters')
  const parameters = all.has(type) ? all.object(type) : all
  if (parameters.string('rope_type', 'default') !== 'default')
    throw invalidModel('config.json: the type of rotary embeddings is not supported')
  return parameters.positive('rope_theta', absent)
}
