import { serveParentProcess } from '../threads/parent-process.ts'
import type { TaskCalls, TaskHostCalls } from '../threads/task-process.ts'
import { extractBody } from './extract-body.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'

export interface ExtractTask {
  body: Uint8Array | string
  options: ExtractOptions
}

// A terminal sends its signals to the whole group, a service manager to all processes of the service. The parent decides
// when this process ends: by killing it, or by ending itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
process.once('disconnect', () => process.exit())

const parent = serveParentProcess<TaskCalls<ExtractTask, ExtractedPage>, TaskHostCalls>({
  run: async ({ body, options }) => {
    // The clock of the task starts when the parent has this message: nothing is extracted before it is on its way.
    await parent.notify('begun', undefined)
    return extractBody(body, options)
  },
})
