import type { FastifyReply } from 'fastify'

/** Returns a callback that sets the header `X-Asof-Reader` to the reader that answered a `prompt`. */
export function readerHeader(reply: FastifyReply): (reader: string) => void {
  return reader => {
    // A call that took too long has been answered already.
    if (!reply.sent) reply.header('x-asof-reader', reader)
  }
}
