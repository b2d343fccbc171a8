import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { createTokenVerifier, looksLikeAccessToken } from '../../../transports/mcp/access-token.ts'
import { startIssuer } from './issuer.ts'

const RESOURCE = 'https://search.example/mcp'

describe('access tokens', () => {
  const open: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close()
  })

  /** Publishes one key at a URL that no metadata name. */
  async function keyServer() {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const keys = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'k' }] }
    const state = { up: true }
    const server = createServer((_, response) => {
      if (!state.up) response.statusCode = 500
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(keys))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    open.push({
      close: () =>
        new Promise(resolve => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    })
    const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
    const sign = (claims: Record<string, unknown>, expires: string | number = '5m') =>
      new SignJWT({ organization: 'org_a', sub: 'ann', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer('https://issuer.example')
        .setAudience(RESOURCE)
        .setExpirationTime(expires)
        .sign(privateKey)
    return { jwksUrl, sign, state, settings: { issuer: 'https://issuer.example', audience: RESOURCE, jwksUrl } }
  }

  it('of a real issuer with metadata name an organization and a subject', async () => {
    const issuer = await startIssuer({ agent: 'org_a' }, ['agent'])
    open.push(issuer)
    const verify = createTokenVerifier({ issuer: issuer.url, audience: RESOURCE })
    expect(await verify(await issuer.token('agent', RESOURCE))).toEqual({ organization: 'org_a', subject: 'agent' })
  })

  it('without the claim belong to the organization in the settings, or are refused', async () => {
    const { settings, sign } = await keyServer()
    const token = await sign({ organization: undefined, tenant: 'org_t' })
    await expect(createTokenVerifier(settings)(token)).rejects.toMatchObject({ kind: 'unauthorized' })
    const byDefault = createTokenVerifier({ ...settings, organization: 'org_d' })
    expect(await byDefault(token)).toMatchObject({ organization: 'org_d' })
    const byTenant = createTokenVerifier({ ...settings, organizationClaim: 'tenant' })
    expect(await byTenant(token)).toMatchObject({ organization: 'org_t' })
  })

  it('that have expired, have no expiry or no subject are refused', async () => {
    const { settings, sign, jwksUrl } = await keyServer()
    const verify = createTokenVerifier(settings)
    await expect(verify(await sign({}, 1_000_000_000))).rejects.toThrow('it has expired')
    await expect(verify(await sign({ sub: undefined }))).rejects.toMatchObject({ kind: 'unauthorized' })
    const other = createTokenVerifier({ ...settings, issuer: 'https://other.example', jwksUrl })
    await expect(other(await sign({}))).rejects.toThrow('not from the accepted issuer')
  })

  it('get an overloaded error while the issuer is unreachable, and are accepted later', async () => {
    const { settings, sign, state } = await keyServer()
    const verify = createTokenVerifier(settings)
    const token = await sign({})
    state.up = false
    await expect(verify(token)).rejects.toMatchObject({ kind: 'overloaded', retryAfterSeconds: 5 })
    state.up = true
    expect(await verify(token)).toEqual({ organization: 'org_a', subject: 'ann' })
    const away = createTokenVerifier({ issuer: 'http://127.0.0.1:9', audience: RESOURCE })
    await expect(away(token)).rejects.toMatchObject({ kind: 'overloaded' })
  })

  it('differ from API keys by their form', () => {
    expect(['a.b.c', 'asof_abc', 'a.b', 'a.b.c.d'].map(looksLikeAccessToken)).toEqual([true, false, false, false])
  })
})
