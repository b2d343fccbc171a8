import type { FastifyRequest } from 'fastify'
import type { Access, Agent } from '../../../service/accounts/index.ts'
import { ServiceError } from '../../../service/index.ts'
import { bearerToken } from './keys.ts'
import type { Admission } from './way-in.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The agent of the request's token, on a route of the storefront. */
    agent: Agent | undefined
  }
}

/**
 * Identifies the agent of a request by its bearer token, and sets `request.agent` if there is one.
 *
 * @returns the admission, with a refusal if the agents could not be read.
 */
export async function identifyAgent(request: FastifyRequest, access: Access): Promise<Admission> {
  const token = bearerToken(request.headers)
  if (token === undefined) return {}
  try {
    request.agent = await access.agentOf(token)
    return { presentsCredential: true }
  } catch (refusal) {
    return { presentsCredential: true, refusal }
  }
}

/** The fields of a 401 that say how a program registers itself (spec part 5). */
const registration = {
  method: 'POST',
  path: '/storefront/agents',
  price_usd: '0',
  next: 'Send the token of the answer as Authorization: Bearer.',
} as const

/** Returns the 401 for a request without the token of a registered agent. */
export function bearerRequired(): ServiceError {
  const text = 'Register with one free call, and send the token as Authorization: Bearer.'
  return new ServiceError('bearer_required', text, { facts: { code: 'bearer_required', register: registration } })
}

/** Returns the agent of a request. @throws ServiceError bearer_required - the request has no valid token. */
export function agentOf({ agent }: FastifyRequest): Agent {
  if (!agent) throw bearerRequired()
  return agent
}
