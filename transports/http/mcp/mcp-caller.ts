import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access, Caller, CountByAddress } from '../../../service/accounts/index.ts'
import { ServiceError } from '../../../service/index.ts'
import type { VerifyToken } from '../../mcp/index.ts'
import { limitHeaders } from '../limits/limit-headers.ts'
import { bearerToken, presentedKey } from '../request/credentials.ts'

type Mcp = typeof import('../../mcp/index.ts')

export interface McpIdentification {
  access: Access | undefined
  mcp: Mcp
  /** Undefined if access tokens are not accepted. */
  verifyToken: VerifyToken | undefined
  byAddress: CountByAddress
  /** True if a call without a credential is refused. */
  required: boolean
  /** URL of the protected resource's metadata, which a refusal names. */
  metadataUrl: string | undefined
}

/** The access token of a request, if it has one. An API key wins over it. */
function presentedToken({ headers }: FastifyRequest, mcp: Mcp): string | undefined {
  const token = headers['x-api-key'] === undefined ? bearerToken(headers) : undefined
  return token !== undefined && mcp.looksLikeAccessToken(token) ? token : undefined
}

/** The caller whose credential a request presents; `undefined` if it presents none. */
async function presentedCaller(
  request: FastifyRequest,
  { access, mcp, verifyToken, required }: McpIdentification,
): Promise<Caller | undefined> {
  const { 'x-api-key': key, authorization } = request.headers
  if (key === undefined && authorization === undefined) {
    if (required) throw new ServiceError('unauthorized', 'Sign in, or send an API key in X-API-Key.')
    return undefined
  }
  if (!access) throw new ServiceError('unauthorized', 'This server has no accounts: call it without a key.')
  const token = verifyToken && presentedToken(request, mcp)
  if (verifyToken && token !== undefined) {
    const { organization, subject } = await verifyToken(token)
    return access.callerOf(organization, subject)
  }
  const { caller, refusal } = access.identify(presentedKey(request.headers))
  request.caller = caller
  if (refusal) throw refusal
  return caller
}

function challenge(presented: boolean, metadataUrl: string | undefined): string {
  const parts = [
    'realm="asof"',
    ...(presented ? ['error="invalid_token"'] : []),
    ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
  ]
  return `Bearer ${parts.join(', ')}`
}

/**
 * Identifies the caller, and sets `request.caller` if the request has a valid key or access token. A bad credential is
 * always refused, and counts against the rate limit of its organization, or of the address if it belongs to none.
 *
 * @throws ServiceError rate_limited | unauthorized | forbidden | overloaded
 */
export async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  identification: McpIdentification,
): Promise<void> {
  try {
    request.caller = await presentedCaller(request, identification)
  } catch (error) {
    const { access, byAddress } = identification
    const counted = request.caller && access ? access.countRequest(request.caller) : byAddress(request.ip)
    const standing = await counted
    reply.headers(limitHeaders(standing))
    // Beyond the limit the answer does not reveal whether a key is valid, so nobody can try keys fast.
    if (standing.refusal) throw standing.refusal
    if (error instanceof ServiceError && error.kind === 'unauthorized') {
      const presented = request.headers['x-api-key'] !== undefined || request.headers.authorization !== undefined
      reply.header('www-authenticate', challenge(presented, identification.metadataUrl))
    }
    throw error
  }
}
