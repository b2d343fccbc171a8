import type { FastifyReply } from 'fastify'
import type { AnsweredSearch } from '../../service/index.ts'

/** Sends the answer of a search: the body of spec 2.2, and what it was made from in `X-Asof-Receipt`. */
export function sendSearch(reply: FastifyReply, { response, receipt }: AnsweredSearch): FastifyReply {
  const compact = JSON.stringify(receipt)
  // A header value holds ASCII; JSON can say the rest in escapes.
  const ascii = compact.replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return reply.header('x-asof-receipt', ascii).send(response)
}
