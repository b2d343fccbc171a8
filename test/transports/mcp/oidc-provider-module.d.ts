/** The parts of oidc-provider that issuer.ts uses; it has no types of its own. */
declare module 'oidc-provider' {
  interface ResourceServer {
    scope: string
    audience: string
    accessTokenFormat: 'jwt'
    accessTokenTTL: number
    jwt: { sign: { alg: string } }
  }
  interface Configuration {
    clients: {
      client_id: string
      client_secret: string
      grant_types: string[]
      redirect_uris: string[]
      response_types: string[]
      id_token_signed_response_alg: string
    }[]
    jwks: { keys: object[] }
    features: {
      devInteractions: { enabled: boolean }
      clientCredentials: { enabled: boolean }
      resourceIndicators: {
        enabled: boolean
        getResourceServerInfo(context: unknown, resource: string): ResourceServer
      }
    }
    extraTokenClaims(context: unknown, token: { clientId?: string }): Record<string, unknown> | undefined
  }
  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): import('node:http').RequestListener
  }
}
