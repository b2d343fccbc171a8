import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'

/** A real authorization server on loopback. It issues its clients tokens for any resource. */
export interface Issuer {
  url: string
  /** An access token of a client for a resource. */
  token(client: string, resource: string): Promise<string>
  close(): Promise<void>
}

/**
 * @param organizations - what tokens of each client say in `organization`; read when a token is made.
 * @param clients - their ids; each has the secret `secret`.
 */
export async function startIssuer(
  organizations: Readonly<Record<string, string | undefined>>,
  clients: readonly string[],
): Promise<Issuer> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const provider = new Provider(url, {
    clients: clients.map(client_id => ({
      client_id,
      client_secret: 'secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: 'ES256',
    })),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'one' }] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: '',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    extraTokenClaims: (_context, { clientId = '' }) => {
      const organization = organizations[clientId]
      return organization === undefined ? undefined : { organization }
    },
  })
  server.on('request', provider.callback())
  return {
    url,
    token: async (client, resource) => {
      const response = await fetch(`${url}/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${btoa(`${client}:secret`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource }),
      })
      const { access_token: token } = (await response.json()) as { access_token?: string }
      if (token === undefined) throw new Error(`the issuer answered ${response.status}`)
      return token
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
