import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Access, Agent, CountByAddress, Plan } from '../../service/accounts/index.ts'
import { ServiceError } from '../../service/index.ts'
import { type Admission, named, type RouteError, readKey } from '../../transports/http/ways/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The agent of the request's token, on a route of the storefront. */
    agent: Agent | undefined
  }
}

/** What admits agents. */
export interface AgentsAdmission {
  access: Access
  /** Counts requests of callers without a plan. */
  byAddress: CountByAddress
  /** The plans for sale. A refusal lists the plans that cover the call. */
  plans: readonly Plan[]
}

/**
 * Identifies the agent of a request by its bearer token, and sets `request.agent` if there is one.
 *
 * @returns the admission, with a refusal if the agents could not be read.
 */
export async function identifyAgent(request: FastifyRequest, access: Access): Promise<Admission> {
  const { key: token } = readKey({ authorization: request.headers.authorization }) ?? {}
  if (!token) return {}
  try {
    request.agent = await access.agentOf(token)
    request.client = request.agent?.id
    return { presentsCredential: true }
  } catch (refusal) {
    return { presentsCredential: true, refusal }
  }
}

/**
 * Identifies the agent of a request. Counts the request for the plans of the agent, or for the address if the agent has no
 * plans.
 */
export async function admitAgent(
  request: FastifyRequest,
  { access, byAddress }: Pick<AgentsAdmission, 'access' | 'byAddress'>,
): Promise<Admission> {
  const admission = await identifyAgent(request, access)
  try {
    const limit = request.agent && (await access.countAgentRequest(request.agent))
    return { ...admission, limit: limit ?? (await byAddress(request.ip)) }
  } catch (refusal) {
    return { ...admission, refusal, limit: await byAddress(request.ip) }
  }
}

/** The fields of a 401 that say how a program registers itself (spec part 5). */
const registration = {
  method: 'POST',
  path: '/storefront/agents',
  price_usd: '0',
  next: 'Send the token of the answer as Authorization: Bearer.',
} as const

/** A 401 in the OpenAPI document. */
export const unknownAgent: RouteError = {
  status: 401,
  error: 'bearer_required',
  schema: named(
    'BearerRequired',
    z.looseObject({
      error: z.literal('bearer_required'),
      code: z.literal('bearer_required'),
      message: z.string(),
      register: z.looseObject({
        method: z.literal('POST'),
        path: z.string(),
        price_usd: z.literal('0'),
        next: z.string(),
      }),
    }),
  ),
}

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
