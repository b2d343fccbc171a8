import type { McpSettings } from '../../http/index.ts'
import { UsageError } from '../command-failure.ts'
import { firstGiven, type Given, optionsOf, settingTable } from './setting.ts'
import { boolean, nonEmptyText, webUrl } from './setting-types.ts'

/** The settings of `/mcp`. */
export const mcpSettings = settingTable('mcp_', {
  served: {
    name: 'mcp',
    type: boolean,
    default: true,
    flag: '',
    text: 'serve agents [at `/mcp`](mcp.md)',
  },
  feedback: {
    type: boolean,
    default: true,
    flag: '',
    text: 'offer agents a [tool that rates results](mcp.md#feedback)',
  },
  verify: {
    type: boolean,
    default: false,
    flag: '',
    text: 'offer agents a [tool that verifies quotes](mcp.md#quotes)',
  },
  passages: {
    type: boolean,
    default: false,
    flag: '',
    text: 'offer agents a [tool that finds passages](mcp.md#passages)',
  },
  allArguments: {
    type: boolean,
    unset: 'if pages have fields',
    flag: '',
    text: 'list every [argument of the tools](mcp.md#tools), also those for fields of pages',
  },
})

/** The settings of access tokens at `/mcp`. */
export const oauthSettings = settingTable('mcp_oauth_', {
  issuer: {
    type: webUrl,
    text: 'the issuer whose tokens are accepted; turns signing in on, and needs `ASOF_BASE_URL`',
  },
  audience: { type: nonEmptyText, unset: '`<base URL>/mcp`', text: 'the `aud` of tokens' },
  jwksUrl: { type: webUrl, unset: "from the issuer's metadata", text: "the address of the issuer's keys" },
  organizationClaim: {
    name: 'mcp_oauth_claim',
    type: nonEmptyText,
    unset: '`organization`',
    text: 'the claim with the id of the [organization](accounts.md)',
  },
  organization: {
    type: nonEmptyText,
    unset: 'such tokens are rejected',
    text: 'the organization of tokens without that claim',
  },
  required: {
    type: boolean,
    default: false,
    text: 'a call with neither key nor token is answered 401, which makes clients sign in',
  },
})

/**
 * Returns the settings of `/mcp`, or `false` if the server has no such route.
 *
 * @throws UsageError - an OAuth setting without `mcp_oauth_issuer`, or `mcp_oauth_issuer` without `base_url`.
 */
export function mcpOf(given: Given): McpSettings | false {
  const { served, ...tools } = optionsOf(mcpSettings, given)
  const { issuer, ...oauth } = optionsOf(oauthSettings, given)
  if (issuer === undefined) {
    const stray = firstGiven(oauthSettings, given)
    if (stray !== undefined)
      throw new UsageError(`${stray} is set without mcp_oauth_issuer, the issuer of the tokens: set it too`)
  } else if (given.base_url === undefined) {
    throw new UsageError('mcp_oauth_issuer is set without base_url, the address that its tokens are for: set it too')
  }
  return served && { ...tools, oauth: issuer === undefined ? undefined : { issuer, ...oauth } }
}
