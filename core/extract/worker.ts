import { isAsofError } from '../errors.ts'
import { extractBody } from './extract-body.ts'
import { extractTimeoutMs } from './extract-limits.ts'
import { kindOfBody } from './extract-page.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'
import type { WatchedTask } from './limited-workers.ts'
import { TaskWatch } from './task-watch.ts'

export interface ExtractTask {
  body: Uint8Array | string
  options: ExtractOptions
  /** Default: by the type of the body. */
  timeoutMs?: number
}

/** What crosses the thread border: a class and its `code` would not survive it, so a typed error goes as plain data. */
export type ExtractOutcome =
  | { page: ExtractedPage }
  | { error: { code: string; message: string; details: Record<string, unknown> | undefined } }

/** The pool's task. Errors without a code are bugs and travel as they are. */
export default async function run({ task, watch: memory }: WatchedTask<ExtractTask>): Promise<ExtractOutcome> {
  const { body, options } = task
  const watch = new TaskWatch(memory)
  try {
    watch.begin(0, task.timeoutMs ?? extractTimeoutMs(kindOfBody(body, options)))
    return { page: await extractBody(body, options) }
  } catch (error) {
    if (!isAsofError(error)) throw error
    const { code, message, details } = error
    return { error: { code, message, details: details && { ...details } } }
  } finally {
    watch.end()
  }
}
