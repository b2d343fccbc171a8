import { parentPort } from 'node:worker_threads'
import { type Calls, type Handlers, RequestChannel } from '@asof/extract/processes'

export interface ServeOptions {
  /** Called when the parent asks the thread to end. Cancels work that may be cancelled. */
  onStop?: () => void
  /** Called after the last reply, before the thread ends. */
  release?: () => Promise<void>
}

/**
 * Makes this worker thread answer the requests of the `WorkerThread` that started it.
 *
 * The thread ends by closing its own port, because a thread that is terminated from outside does not close LevelDB.
 *
 * @returns the channel for messages to the parent.
 */
export function serveParentThread<Ours, Theirs extends Calls<Theirs> = Record<never, never>>(
  handlers: Handlers<Ours>,
  { onStop, release }: ServeOptions = {},
): RequestChannel<Theirs> {
  const port = parentPort
  if (!port) throw new TypeError('this module runs as a worker thread')
  const stop = async (): Promise<void> => {
    onStop?.()
    await channel.idle()
    await release?.()
    port.close()
  }
  const channel = new RequestChannel<Theirs>((message, buffers) => port.postMessage(message, buffers), {
    ...handlers,
    stop,
  })
  port.on('message', message => channel.receive(message))
  return channel
}
