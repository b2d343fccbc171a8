import type { OAuthSettings, ServerFor } from '../mcp/index.ts'

/** How the server speaks the Model Context Protocol. */
export interface McpSettings {
  /** Whether callers with a key are offered the tool for feedback, if the service keeps feedback. Default true. */
  feedback?: boolean
  /** What is served, for who has more to offer than the tools of asof. Default: those. */
  serverFor?: ServerFor
  /** Names that the server is reached by besides that of `baseUrl`, without ports. Default: none but addresses and localhost. */
  hosts?: readonly string[]
  /** Whose access tokens are taken besides API keys; needs `access` and `baseUrl`. Default: nobody's. */
  oauth?: Omit<OAuthSettings, 'audience'> & { audience?: string }
}
