import { parentPort } from 'node:worker_threads'
import { type Calls, type Handlers, RequestChannel } from './request-channel.ts'

export interface ServeOptions {
  /** Called when the parent wants the thread to end: cancels what may be cancelled. */
  onStop?: () => void
  /** Called before the thread ends, after the last reply. */
  release?: () => Promise<void>
}

/**
 * Makes this worker thread answer the requests of its parent, a `WorkerThread`.
 *
 * The thread ends from within, by closing its port: a thread that is terminated from outside does not release LevelDB.
 *
 * @returns the channel, for notices and requests to the parent.
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
