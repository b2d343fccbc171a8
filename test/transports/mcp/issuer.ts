import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'

/** A real authorization server on loopback, which gives its clients tokens for whatever resource they ask for. */
export interface Issuer {
  url: string
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
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
