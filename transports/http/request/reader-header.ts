import type { FastifyReply } from 'fastify'

/** Names the reader that answered a `prompt` in `X-Asof-Reader`. */
export function namedIn(reply: FastifyReply): (reader: string) => void {
  return reader => {
    // A call that ran out of time has been answered already.
    if (!reply.sent) reply.header('x-asof-reader', reader)
  }
}
