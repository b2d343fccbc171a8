import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { addCustomer, usageOf } from '../../../service/accounts/accounts.ts'
import { startIssuer } from '../../mcp/issuer.ts'
import { toolCall } from '../../mcp/messages.ts'
import { get, post, type RunningServer, startServer } from '../running-server.ts'
import { accept } from './mcp-servers.ts'

const PUBLIC = 'https://search.example'
const RESOURCE = `${PUBLIC}/mcp`
const call = toolCall('search_web_pages', { query: 'ships' })

describe('/mcp as an OAuth resource', () => {
  const open: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close()
  })

  async function start(oauth: { required?: boolean } = {}) {
    const organizations: Record<string, string | undefined> = { stray: undefined, foreign: 'org_of_nobody' }
    const issuer = await startIssuer(organizations, ['member', 'stray', 'foreign'])
    open.push(issuer)
    const server = await startServer({
      accounts: true,
      captures: [{ url: 'https://example.com/', text: 'ships at sea' }],
      http: { baseUrl: PUBLIC, mcp: { oauth: { issuer: issuer.url, ...oauth } } },
    })
    open.push(server)
    const customer = await addCustomer(server.access)
    organizations.member = customer.org
    return { issuer, server, customer, url: `${server.url}/mcp` }
  }

  async function answerTo(server: RunningServer, token: string) {
    return post(`${server.url}/mcp`, call, { ...accept, Authorization: `Bearer ${token}` })
  }

  it('lets an official client sign in at the issuer that its metadata names, and charges the organization', async () => {
    const { issuer, server, customer } = await start({ required: true })
    const authProvider = new ClientCredentialsProvider({
      clientId: 'member',
      clientSecret: 'secret',
      expectedIssuer: issuer.url,
    })
    const transport = new StreamableHTTPClientTransport(new URL(RESOURCE), {
      authProvider,
      // The client reaches the server by its public address, as behind a proxy.
      fetch: (address, init) => fetch(String(address).replace(PUBLIC, server.url), init),
    })
    const client = new Client({ name: 'tests', version: '1' })
    await client.connect(transport)
    open.push({ close: () => client.close() })
    const answer = await client.callTool({ name: 'search_web_pages', arguments: { query: 'ships' } })
    expect(answer._meta?.['service/usage']).toMatchObject({ sku: 'search.pro', credits: 1 })
    expect(await usageOf(server.access, customer.org)).toMatchObject({ credits_charged: 1 })
  })

  it('names its issuer in its metadata, and links the metadata in refusals', async () => {
    const { issuer, server, url } = await start({ required: true })
    const metadataUrl = '/.well-known/oauth-protected-resource/mcp'
    for (const path of [metadataUrl, '/.well-known/oauth-protected-resource']) {
      expect((await get(server.url + path, {})).body).toMatchObject({
        resource: RESOURCE,
        authorization_servers: [issuer.url],
      })
    }
    const anonymous = await post(url, call, accept)
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="asof", resource_metadata="${PUBLIC}${metadataUrl}"`,
    ])
  })

  it('answers callers without key and token, unless signing in is required', async () => {
    const { url } = await start()
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...accept, 'Content-Type': 'application/json' },
      body: JSON.stringify(call),
    })
    expect([answer.status, await answer.text()]).toEqual([200, expect.not.stringContaining('service/usage')])
  })

  it('refuses tokens for another resource, without or with an unknown organization, and changed tokens', async () => {
    const { issuer, server } = await start()
    const refusal = async (token: string) => {
      const { status, body, headers } = await answerTo(server, token)
      expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="asof", error="invalid_token", resource_metadata=/)
      return [status, body.error, body.message]
    }
    const good = await issuer.token('member', RESOURCE)
    expect(await refusal(await issuer.token('member', 'https://other.example/mcp'))).toEqual([
      401,
      'unauthorized',
      'The access token is not valid: it is not for this server, or not from the accepted issuer.',
    ])
    expect(await refusal(await issuer.token('stray', RESOURCE))).toEqual([
      401,
      'unauthorized',
      expect.stringContaining('organization'),
    ])
    expect(await refusal(await issuer.token('foreign', RESOURCE))).toEqual([
      401,
      'unauthorized',
      expect.stringContaining('unknown organization'),
    ])
    const [head, claims, signature] = good.split('.') as [string, string, string]
    const changed = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object
    const forged = Buffer.from(JSON.stringify({ ...changed, sub: 'other' })).toString('base64url')
    expect(await refusal(`${head}.${forged}.${signature}`)).toEqual([
      401,
      'unauthorized',
      expect.stringContaining('signature'),
    ])
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
    expect((await refusal(`${unsigned}.${claims}.x`))[0]).toBe(401)
  })

  it('accepts API keys besides tokens', async () => {
    const { url, customer } = await start({ required: true })
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...accept, 'Content-Type': 'application/json', Authorization: `Bearer ${customer.key}` },
      body: JSON.stringify(call),
    })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('service/usage')])
  })
})
