import '@asof/extract/expect-node'

/** `@asof/encoder`: turns texts into vectors by a model in the process, the same bits on every machine. */
export { AsofError, type ErrorCode, isAsofError } from '@asof/extract/errors'
export { CrossEncoder, type EncodeCall, Encoder, type EncoderOptions } from './encoder.ts'
export type { EncoderShape, Pooling } from './forward/encoder-shape.ts'
export { type KnownModel, type ModelUse, PROOF_TEXT } from './model/known-models.ts'
export { DEFAULT_TOKENS, ENCODER_VERSION } from './model/load-model.ts'
export { type ModelFile, type ModelFiles, readModelFiles } from './model/model-files.ts'
export { meanVector, passageRule, passagesOf } from './model/passages.ts'
export type { TokenIds } from './tokenizer/token-ids.ts'
export { Tokenizer } from './tokenizer/tokenizer.ts'
