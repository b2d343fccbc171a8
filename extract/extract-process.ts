import { extractBody } from './extract-body.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'
import { serveParentProcess } from './processes/parent-process.ts'
import type { TaskCalls, TaskHostCalls } from './processes/task-process.ts'

export interface ExtractTask {
  body: Uint8Array | string
  options: ExtractOptions
}

// Terminals and service managers also send signals to child processes. This process ignores them and ends with its
// parent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

const parent = serveParentProcess<TaskCalls<ExtractTask, ExtractedPage>, TaskHostCalls>({
  run: async ({ body, options }) => {
    // The parent starts the time limit when it gets this message, so it must be sent before extraction blocks the
    // thread.
    await parent.notify('begun', undefined)
    return extractBody(body, options)
  },
})
