/** Models that run in this process: adding, listing and checking them, and using one as the embeddings model of an engine. */
export { type AddedModel, addModel } from './add-model.ts'
export { checkModel } from './check-model.ts'
export { LocalModel, type LocalModelOptions, localModel } from './local-model.ts'
export { type ModelRecord, modelNames, modelsFolder, readModelRecord } from './model-record.ts'
