import { isAsofError } from '../errors.ts'
import type { TaskMessage } from '../threads/task-process.ts'
import { extractBody } from './extract-body.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'

export interface ExtractTask {
  body: Uint8Array | string
  options: ExtractOptions
}

/** A page, or the fields of an `AsofError`: its class and `code` would be lost in the message to the parent process. */
export type ExtractOutcome =
  | { page: ExtractedPage }
  | { error: { code: string; message: string; details: Record<string, unknown> | undefined } }

// Terminals and service managers send signals to child processes too. The parent process decides when this one ends: it
// kills it, or ends itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
process.once('disconnect', () => process.exit())

process.on('message', (task: ExtractTask) => {
  // The parent starts the time limit when it gets this message, so extraction must not start before the message is sent.
  send('begun', () => {
    outcomeOf(task).then(
      result => send({ result }),
      // An error without a code is a bug in asof.
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
