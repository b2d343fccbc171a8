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

/** A model whose files are known, byte for byte. */
export interface KnownModel extends ModelUse {
  /** A short name. */
  alias: string
  /** Its license, as an SPDX identifier. */
  license: string
  /** SHA-256 of its ONNX file and of its `tokenizer.json`, in hexadecimal. */
  weights: string
  tokenizer: string
  /** SHA-256 of the vector of {@link PROOF_TEXT}, as a query, with the default options. */
  proof: string
  /** The content of its `config.json`, which is not beside the ONNX file. */
  config: Readonly<Record<string, unknown>>
}

/** A sentence whose vector shows whether a machine computes what every other does. */
export const PROOF_TEXT = 'The night train to Lisbon leaves at nine in the evening.'

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
      alias: 'minilm',
      license: 'Apache-2.0',
      weights: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      proof: '103d6844d94a7d0980556525f5b2e780208625f747ce5847fb1bb0ca85a88bcc',
      tokenizer: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
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
      alias: 'bge-small',
      license: 'MIT',
      weights: '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
      proof: 'ed87f56a413b1f1ad87707a92159c6869260ead3c7fad7981cfa6a43a7109ce8',
      tokenizer: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
      config: { ...small, num_hidden_layers: 12 },
      pooling: 'cls',
      languages: ['en'],
      queryPrefix: 'Represent this sentence for searching relevant passages: ',
      passagePrefix: '',
    },
  ],
  [
    'e5-small-v2-q.onnx',
    {
      name: 'e5-small-v2-q',
      alias: 'e5-small',
      license: 'MIT',
      weights: '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded',
      proof: '4cca3e5a935fa0870682e9015dfe538800eb50f5b8a6dfea3437d2dc3996ce8a',
      tokenizer: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
      config: { ...small, num_hidden_layers: 12 },
      pooling: 'mean',
      languages: ['en'],
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
    },
  ],
])
