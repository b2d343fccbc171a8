import type { Pooling } from '../forward/encoder-shape.ts'

/** How a model is used, as far as its weights do not say. */
export interface ModelUse {
  /** Its name in the identity of vectors. */
  name: string
  pooling: Pooling
  /** The languages that it knows, as BCP 47 tags. Undefined: every language. */
  languages?: readonly string[]
  /** Text before queries, and before passages. */
  queryPrefix: string
  passagePrefix: string
}

/** A model whose ONNX file has no `config.json` beside it. */
export interface KnownModel extends ModelUse {
  config: Readonly<Record<string, unknown>>
}

const small = {
  model_type: 'bert',
  hidden_size: 384,
  num_attention_heads: 12,
  intermediate_size: 1536,
  vocab_size: 30_522,
  max_position_embeddings: 512,
  hidden_act: 'gelu',
  layer_norm_eps: 1e-12,
}

/** Models in jars of Maven Central (`dev.langchain4j`, `langchain4j-embeddings-…`), by the name of their ONNX file. */
export const knownModels: ReadonlyMap<string, KnownModel> = new Map([
  [
    'all-minilm-l6-v2-q.onnx',
    {
      name: 'all-MiniLM-L6-v2-q',
      config: { ...small, num_hidden_layers: 6 },
      pooling: 'mean',
      languages: ['en'],
      queryPrefix: '',
      passagePrefix: '',
    },
  ],
  [
    'bge-small-en-v1.5-q.onnx',
    {
      name: 'bge-small-en-v1.5-q',
      config: { ...small, num_hidden_layers: 12 },
      pooling: 'cls',
      languages: ['en'],
      queryPrefix: 'Represent this sentence for searching relevant passages: ',
      passagePrefix: '',
    },
  ],
])
