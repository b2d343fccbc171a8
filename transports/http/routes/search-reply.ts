import type { FastifyReply } from 'fastify'
import type { AnsweredSearch } from '../../../service/index.ts'

/** Sends the response of a search: the body of spec 2.2, and the receipt in the header `X-Asof-Receipt`. */
export function sendSearch(reply: FastifyReply, { response, receipt }: AnsweredSearch): FastifyReply {
  const compact = JSON.stringify(receipt)
  // A header value is ASCII, so other characters are written as JSON escapes.
  const ascii = compact.replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return reply.header('x-asof-receipt', ascii).send(response)
}
