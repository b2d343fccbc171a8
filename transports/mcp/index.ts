export {
  createTokenVerifier,
  looksLikeAccessToken,
  type OAuthSettings,
  type TokenHolder,
  type VerifyToken,
} from './access-token.ts'
export {
  type Answer,
  type Answerer,
  keyedAnswerer,
  keylessAnswerer,
  ownerAnswerer,
  remoteAnswerer,
  withoutFeedback,
} from './answerer.ts'
export { createEndpoint, type McpEndpoint, type ServerFor } from './endpoint.ts'
export { type StdioOptions, serveOverStdio } from './stdio.ts'
export { createToolServer, type ToolCaller } from './tool-server.ts'
