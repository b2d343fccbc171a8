/** A thread that loads a model, sends it to the main thread, and ends: its files and objects leave memory with it. */
import { parentPort, workerData } from 'node:worker_threads'
import { type LoadedModel, loadModel, type ModelSource } from '../model/load-model.ts'
import type { WireError } from './messages.ts'
import { wireError } from './wire-error.ts'

parentPort?.postMessage(load(workerData as ModelSource))

function load(source: ModelSource): { loaded: LoadedModel } | { error: WireError } {
  try {
    return { loaded: loadModel(source) }
  } catch (thrown) {
    return { error: wireError(thrown) }
  }
}
