import type { FastifyRequest } from 'fastify'
import type { Access, Caller, CountByAddress, LimitStanding } from '../../../service/accounts/index.ts'
import { ServiceError } from '../../../service/index.ts'
import type { VerifyToken } from '../../mcp/index.ts'
import { presentedKey, readKey } from '../admission/keys.ts'
import type { Admission } from '../admission/way-in.ts'

type Mcp = typeof import('../../mcp/index.ts')

export interface McpIdentification {
  access: Access | undefined
  mcp: Mcp
  /** Undefined if access tokens are not accepted. */
  verifyToken: VerifyToken | undefined
  byAddress: CountByAddress
  /** True if a call without a credential is refused. */
  required: boolean
  /** URL of the OAuth metadata (RFC 9728), which a 401 names. */
  metadataUrl: string | undefined
}

/** Returns the access token of a request. Returns `undefined` if the request has none, or has an API key. */
function presentedToken({ headers }: FastifyRequest, mcp: Mcp): string | undefined {
  const { header, key } = readKey(headers) ?? {}
  return header === 'Authorization' && key !== undefined && mcp.looksLikeAccessToken(key) ? key : undefined
}

/** Returns the caller whose credential a request presents, or `undefined` if the request presents none. */
async function presentedCaller(
  request: FastifyRequest,
  { access, mcp, verifyToken, required }: McpIdentification,
): Promise<Caller | undefined> {
  const { 'x-api-key': key, authorization } = request.headers
  const { key: text, time } = readKey(request.headers) ?? {}
  const isInstantOnly = text === '' && time !== undefined
  if (isInstantOnly || (key === undefined && authorization === undefined)) {
    if (required) throw new ServiceError('unauthorized', 'Sign in, or send an API key in X-API-Key.')
    return undefined
  }
  if (!access) throw new ServiceError('unauthorized', 'This server has no accounts: call it without a key.')
  const token = verifyToken && presentedToken(request, mcp)
  if (verifyToken && token !== undefined) {
    const { organization, subject } = await verifyToken(token)
    return await access.tokenCaller(organization, subject)
  }
  const { caller, refusal } = await access.identify(presentedKey(request.headers))
  request.caller = caller
  if (refusal) throw refusal
  return caller
}

/**
 * Identifies the caller of a request, sets `request.caller` if the request has a valid key or access token, and counts the
 * request for the organization of the caller, or for its address. A bad credential is always refused.
 */
export async function admitMcp(request: FastifyRequest, identification: McpIdentification): Promise<Admission> {
  let refusal: unknown
  try {
    request.caller = await presentedCaller(request, identification)
  } catch (error) {
    refusal = error
  }
  const { 'x-api-key': key, authorization } = request.headers
  return {
    refusal,
    limit: await countMessages(request, identification),
    presentsCredential: key !== undefined || authorization !== undefined,
    metadataUrl: identification.metadataUrl,
  }
}

/** Counts messages for the organization of the caller, or for its address. */
export function countMessages(
  { caller, ip }: FastifyRequest,
  { access, byAddress }: Pick<McpIdentification, 'access' | 'byAddress'>,
  messages = 1,
): Promise<LimitStanding> {
  return caller && access ? access.countRequest(caller, messages) : byAddress(ip, messages)
}
