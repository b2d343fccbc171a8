import { isAsofError } from '../errors.ts'
import type { TaskMessage } from '../threads/task-process.ts'
import { extractBody } from './extract-body.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'

export interface ExtractTask {
  body: Uint8Array | string
  options: ExtractOptions
}

/** A page, or a typed error as plain data: a class and its `code` would not survive the way to the parent. */
export type ExtractOutcome =
  | { page: ExtractedPage }
  | { error: { code: string; message: string; details: Record<string, unknown> | undefined } }

// A terminal sends its signals to the whole group, a service manager to all processes of the service. The parent decides
// when this process ends: by killing it, or by ending itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
process.once('disconnect', () => process.exit())

process.on('message', (task: ExtractTask) => {
  // The clock of the task starts when the parent has this message: nothing is extracted before it is on its way.
  send('begun', () => {
    outcomeOf(task).then(
      result => send({ result }),
      // An error without a code is a bug.
      (error: unknown) => send({ error: error instanceof Error ? error.message : String(error) }),
    )
  })
})

async function outcomeOf({ body, options }: ExtractTask): Promise<ExtractOutcome> {
  try {
    return { page: await extractBody(body, options) }
  } catch (error) {
    if (!isAsofError(error)) throw error
    const { code, message, details } = error
    return { error: { code, message, details: details && { ...details } } }
  }
}

function send(message: TaskMessage, sent: () => void = () => {}): void {
  process.send?.(message, sent)
}
