import { finished } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'

/** Reports whether the answer that is about to be sent was sent completely, and not replaced by an error. */
export function reportDelivery(reply: FastifyReply, report: (delivered: boolean) => void): void {
  finished(reply.raw).then(
    () => report(reply.statusCode === 200),
    () => report(false),
  )
}
