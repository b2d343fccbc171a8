/** `asof/mcp`: the tools of agents over the Model Context Protocol, for servers of your own. */
export {
  createEndpoint,
  createTokenVerifier,
  createToolServer,
  keyedBackend,
  keylessBackend,
  type McpEndpoint,
  type OAuthSettings,
  ownerBackend,
  remoteBackend,
  type ServerFor,
  type StdioOptions,
  serveOverStdio,
  type TokenHolder,
  type ToolBackend,
  type ToolCaller,
  type VerifyToken,
} from '../transports/mcp/index.ts'
