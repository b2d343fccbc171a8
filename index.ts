/**
 * `asof`: the engine, as `@asof/core` gives it, and the embeddings models of this machine. Crawler, service and transports have entries of
 * their own.
 */
export * from '@asof/core'
export { LocalModel, type LocalModelOptions, localModel } from './service/local-models/local-model.ts'
