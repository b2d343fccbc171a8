import { z } from 'zod'
import type { McpSettings } from '../../http/index.ts'
import { UsageError } from '../usage-error.ts'
import { boolean, hostName, readList } from './setting-values.ts'

const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })

/** The settings of `/mcp` by their names in `asof.json`. */
export const mcpFields = {
  mcp: boolean.optional(),
  mcp_feedback: boolean.optional(),
  mcp_hosts: z.preprocess(readList, z.array(hostName).min(1)).optional(),
  mcp_oauth_issuer: webUrl.optional(),
  mcp_oauth_audience: z.string().min(1).optional(),
  mcp_oauth_jwks_url: webUrl.optional(),
  mcp_oauth_claim: z.string().min(1).optional(),
  mcp_oauth_organization: z.string().min(1).optional(),
  mcp_oauth_required: boolean.optional(),
}

type GivenMcp = z.output<z.ZodObject<typeof mcpFields>> & { base_url?: string | undefined }

function oauthOf(given: GivenMcp): McpSettings['oauth'] {
  const { mcp_oauth_issuer: issuer, mcp_oauth_audience: audience, mcp_oauth_jwks_url: jwksUrl } = given
  const { mcp_oauth_claim: organizationClaim, mcp_oauth_organization: organization } = given
  const { mcp_oauth_required: required } = given
  if (issuer === undefined) {
    const stray = Object.keys(given).find(name => name.startsWith('mcp_oauth_'))
    if (stray !== undefined)
      throw new UsageError(`${stray} is set without mcp_oauth_issuer, the issuer of the tokens: set it too`)
    return undefined
  }
  if (given.base_url === undefined) {
    throw new UsageError('mcp_oauth_issuer is set without base_url, the address that its tokens are for: set it too')
  }
  return {
    issuer,
    ...(audience === undefined ? {} : { audience }),
    ...(jwksUrl === undefined ? {} : { jwksUrl }),
    ...(organizationClaim === undefined ? {} : { organizationClaim }),
    ...(organization === undefined ? {} : { organization }),
    ...(required === undefined ? {} : { required }),
  }
}

/**
 * How a server answers `/mcp`, or `false` if it does not.
 *
 * @throws UsageError - an OAuth setting without `mcp_oauth_issuer`, or that without `base_url`.
 */
export function mcpOf(given: GivenMcp): McpSettings | false {
  const oauth = oauthOf(given)
  if (given.mcp === false) return false
  return {
    ...(given.mcp_feedback === undefined ? {} : { feedback: given.mcp_feedback }),
    ...(given.mcp_hosts === undefined ? {} : { hosts: given.mcp_hosts }),
    ...(oauth === undefined ? {} : { oauth }),
  }
}
