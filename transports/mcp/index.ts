export {
  createTokenVerifier,
  looksLikeAccessToken,
  type OAuthSettings,
  type TokenHolder,
  type VerifyToken,
} from './access-token.ts'
export { createEndpoint, type McpEndpoint, type ServerFor } from './endpoint.ts'
export { type StdioOptions, serveOverStdio } from './stdio.ts'
export {
  keyedBackend,
  keylessBackend,
  offering,
  ownerBackend,
  remoteBackend,
  type ToolBackend,
} from './tool-backend.ts'
export { createToolServer, type ToolCaller } from './tool-server.ts'
