import { endWithParent } from './end-with-parent.ts'
import { type Calls, type Handlers, RequestChannel } from './request-channel.ts'

/**
 * Makes this child process answer the requests of the `TaskProcess` that started it, and end when its parent ends.
 *
 * @returns the channel for messages to the parent.
 */
export function serveParentProcess<Ours, Theirs extends Calls<Theirs>>(
  handlers: Handlers<Ours>,
): RequestChannel<Theirs> {
  endWithParent()
  const channel = new RequestChannel<Theirs>(
    message => new Promise<void>(resolve => process.send?.(message, () => resolve())),
    handlers,
  )
  process.on('message', message => channel.receive(message as Parameters<typeof channel.receive>[0]))
  return channel
}
