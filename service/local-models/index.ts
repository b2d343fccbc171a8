/** Models that run in this process: adding, listing and checking them, and using them as the models of an engine. */
export { type AddedModel, addModel } from './add-model.ts'
export { checkModel } from './check-model.ts'
export { hasPair, LocalModel, type LocalModelOptions, localModel } from './local-model.ts'
export {
  DEFAULT_RERANK_THREADS,
  LocalReranker,
  type LocalRerankerOptions,
  localReranker,
} from './local-reranker.ts'
export { ModelPair, type VectorSource } from './model-pair.ts'
export {
  type AddedRecord,
  isReranker,
  modelNames,
  modelsFolder,
  readAddedRecord,
  readModelRecord,
} from './model-record.ts'
export { OnnxModel, onnxModel } from './onnx-model.ts'
export { PAIR, partsOfPair } from './pair-identity.ts'
