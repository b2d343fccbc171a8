import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientNetwork } from '../../../service/accounts/index.ts'
import { callerSignal } from './caller-signal.ts'

/** The client that a request counts for in fair shares: the organization of its key, its agent, or else its network. */
export function clientOf(request: FastifyRequest): string {
  return request.caller?.organization.id ?? request.agent?.id ?? clientNetwork(request.ip)
}

/** The client of a request, and a signal that cancels its work when the caller has gone. */
export function clientCall(request: FastifyRequest, reply: FastifyReply): { client: string; signal: AbortSignal } {
  return { client: clientOf(request), signal: callerSignal(reply) }
}
