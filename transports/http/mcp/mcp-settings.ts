import { optionsReader } from '@asof/extract/errors'
import type { OAuthSettings, ServerFor } from '../../mcp/index.ts'

/** The settings of `/mcp`. */
export interface McpSettings {
  /** True to offer the tool for feedback to callers with a key, if the service stores feedback. Default true. */
  feedback?: boolean
  /** True to offer the tool that verifies quotes. Default false. */
  verify?: boolean
  /** True to offer the tool that finds passages. Default false. */
  passages?: boolean
  /** True to list every argument of the tools, also those for fields of pages. Default: if pages have fields. */
  allArguments?: boolean
  /** Creates the MCP server for a caller, for embedders that add tools of their own. Default: the tools of asof. */
  serverFor?: ServerFor
  /** Issuer of access tokens that are accepted besides API keys; needs `access` and `baseUrl`. Default: none. */
  oauth?: Omit<OAuthSettings, 'audience'> & { audience?: string }
}

const readSettings = optionsReader<McpSettings>({
  feedback: 'boolean',
  verify: 'boolean',
  passages: 'boolean',
  allArguments: 'boolean',
  serverFor: 'function',
  oauth: 'object',
})

const readOAuthSettings = optionsReader<NonNullable<McpSettings['oauth']>>(
  {
    issuer: 'string',
    audience: 'string',
    jwksUrl: 'string',
    organizationClaim: 'string',
    organization: 'string',
    required: 'boolean',
  },
  { required: ['issuer'] },
)

/** @throws ASOF_INVALID_OPTION - a setting of `/mcp` is unknown or of the wrong type. */
export function readMcpSettings(given: McpSettings): McpSettings {
  const { oauth, ...settings } = readSettings(given)
  return { ...settings, oauth: oauth && readOAuthSettings(oauth) }
}
