/** `asof`: the engine, the extraction and the errors of both, as `@asof/core` gives them, and the embeddings models of this machine. */
export * from '@asof/core'
export {
  LocalModel,
  type LocalModelOptions,
  LocalReranker,
  type LocalRerankerOptions,
  localModel,
  localReranker,
  OnnxModel,
  onnxModel,
} from '../service/local-models/index.ts'
