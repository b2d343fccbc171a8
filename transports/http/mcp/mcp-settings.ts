import { optionsReader } from '@asof/core'
import type { OAuthSettings, ServerFor } from '../../mcp/index.ts'

/** How the server speaks the Model Context Protocol. */
export interface McpSettings {
  /** Whether callers with a key are offered the tool for feedback, if the service keeps feedback. Default true. */
  feedback?: boolean
  /** What is served, for who has more to offer than the tools of asof. Default: those. */
  serverFor?: ServerFor
  /** The older place of `hosts` in the settings of the server; names given here hold for all routes too. */
  hosts?: readonly string[]
  /** Whose access tokens are taken besides API keys; needs `access` and `baseUrl`. Default: nobody's. */
  oauth?: Omit<OAuthSettings, 'audience'> & { audience?: string }
}

const readSettings = optionsReader<McpSettings>({
  feedback: 'boolean',
  serverFor: 'function',
  hosts: 'list',
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

/** @throws ASOF_INVALID_OPTION - an unknown setting of `/mcp`, or one of another type. */
export function readMcpSettings(given: McpSettings): McpSettings {
  const { oauth, ...settings } = readSettings(given)
  return { ...settings, ...(oauth && { oauth: readOAuthSettings(oauth) }) }
}
