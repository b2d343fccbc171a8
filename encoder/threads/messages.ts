import type { LoadedModel } from '../model/load-model.ts'

/** What a thread needs to compute. */
export interface ThreadData {
  loaded: LoadedModel
  /** The number of its scratch space. */
  thread: number
}

/** What a thread is asked: the vector of a text, or how well a text answers a query. */
export type Task = { kind: 'embed'; text: string } | { kind: 'score'; query: string; text: string }

/** The answer of a thread: numbers, or the error of the task. */
export type TaskResult = { numbers: Float32Array } | { error: WireError }

/** An error that another thread throws again. */
export interface WireError {
  code: string
  message: string
  retryable: boolean
}
