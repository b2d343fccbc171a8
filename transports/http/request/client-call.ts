import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientNetwork } from '../../service/accounts/index.ts'
import { callerSignal } from './caller-signal.ts'

/** The client of a request, whose share of the server it takes: an organization, or else a network. */
export function clientOf(request: FastifyRequest): string {
  return request.caller?.organisation.id ?? clientNetwork(request.ip)
}

/** On whose behalf a request is answered. What waits for its turn is given up when nobody waits for the answer. */
export function clientCall(request: FastifyRequest, reply: FastifyReply): { client: string; signal: AbortSignal } {
  return { client: clientOf(request), signal: callerSignal(reply) }
}
