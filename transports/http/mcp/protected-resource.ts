import { invalidOption } from '@asof/extract/errors'
import type { OAuthSettings } from '../../mcp/index.ts'
import type { App } from '../schema/route-schema.ts'
import type { HttpSettings } from '../settings.ts'
import type { McpSettings } from './mcp-settings.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** `/mcp` as a protected resource of OAuth (RFC 9728). */
interface ProtectedResource {
  oauth: OAuthSettings
  metadata: Readonly<Record<string, unknown>>
  /** URL of `metadata`. */
  metadataUrl: string
  /** Paths of the routes that serve `metadata`. */
  paths: readonly string[]
}

/**
 * Returns the protected resource of a server, or `undefined` if the server accepts no access tokens.
 *
 * @throws ASOF_INVALID_OPTION - access tokens are accepted, but the settings `access` or `baseUrl` are missing.
 */
export function protectedResourceOf(
  { access, baseUrl }: HttpSettings,
  { oauth }: McpSettings,
): ProtectedResource | undefined {
  if (!oauth) return undefined
  if (!access || baseUrl === undefined) throw invalidOption('mcp.oauth', 'needs the settings access and baseUrl')
  const resource = `${baseUrl}/mcp`
  const { origin, pathname } = new URL(resource)
  return {
    oauth: { audience: resource, ...oauth },
    metadata: {
      resource,
      authorization_servers: [oauth.issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'asof web search',
    },
    metadataUrl: `${origin}${WELL_KNOWN}${pathname}`,
    paths: [...new Set([WELL_KNOWN, `${WELL_KNOWN}/mcp`, `${WELL_KNOWN}${pathname}`])],
  }
}

/** Adds the routes of the metadata of RFC 9728. The metadata tell clients where to sign in. */
export function addResourceMetadata(app: App, { paths, metadata }: ProtectedResource): void {
  for (const path of paths) app.get(path, async () => metadata)
}
