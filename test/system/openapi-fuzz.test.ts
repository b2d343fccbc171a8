import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { Pool } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CrawlError, type CrawlErrorCode } from '../../crawler/errors.ts'
import type { FetchPage } from '../../service/index.ts'
import { JournalRecords } from '../../service/records/journal-records.ts'
import { openWalletProof, UsedProofs } from '../../store/wallet-proof/index.ts'
import { casesOf } from '../cases.ts'
import { addCustomer } from '../service/accounts/accounts.ts'
import { type LocalChain, startChain } from '../store/payments/local-chain.ts'
import { settingsOver } from '../store/payments/paid-server.ts'
import { deleteRecords, type PlanShop, startPlanShop } from '../store/purchases/plan-shop.ts'
import type { RunningServer } from '../transports/http/running-server.ts'
import { anyRequest, type Operation, type Parameter, type RequestSchema, type WireRequest } from './openapi-request.ts'

// Fewer do not meet each status of each route. A new route takes its share of the requests of a batch.
const BATCHES = Math.max(200, casesOf(400))
const BATCH = 80
const CONNECTIONS = 16

interface DocumentedResponse {
  description: string
  content: Record<string, { schema: object }>
}

interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: (Parameter | { $ref: string })[]
        security?: object[]
        requestBody?: { content: { 'application/json': { schema: { $ref: string } } } }
        responses: Record<string, DocumentedResponse>
      }
    >
  >
  components: { schemas: Record<string, RequestSchema>; parameters: Record<string, Parameter> }
}

/** Simulates pages for live fetches. The digit at the end of the URL determines the outcome. */
const fetchPage: FetchPage = async url => {
  const fates: (CrawlErrorCode | [CrawlErrorCode, number] | 'page' | 'blank')[] = [
    ...(['page', 'blank', 'ASOF_FETCH_UNREACHABLE', 'ASOF_FETCH_TIMEOUT', 'ASOF_FETCH_TOO_LARGE'] as const),
    ...(['ASOF_FETCH_REDIRECTS', 'ASOF_ADDRESS_REFUSED'] as const),
    ...([404, 429, 503] as const).map((status): [CrawlErrorCode, number] => ['ASOF_FETCH_STATUS', status]),
  ]
  const fate = fates[Number(/\/(\d)$/.exec(url)?.[1] ?? 2)]!
  if (Array.isArray(fate)) throw new CrawlError(fate[0], 'no page', { details: { status: fate[1] } })
  if (fate !== 'page' && fate !== 'blank') throw new CrawlError(fate, 'no page')
  const html = fate === 'page' ? '<title>Live</title><p>Ships of the day.</p>' : ''
  return { url, body: new TextEncoder().encode(html), contentType: 'text/html' }
}

let server: RunningServer
let shop: PlanShop
let chain: LocalChain
let proofs: string
let usedProofs: UsedProofs
let pool: Pool
let document: Document
const keysOf: Record<string, string> = {}
const validators = new Map<string, ValidateFunction>()
const ajv = new Ajv2020({ strict: false, validateSchema: false })
addFormats.default(ajv)

beforeAll(async () => {
  chain = await startChain()
  proofs = await mkdtemp(path.join(tmpdir(), 'asof-proofs-'))
  usedProofs = await UsedProofs.open(await JournalRecords.open(proofs), Date.now)
  const mpp = { secretKey: 'a test secret of more than thirty-two bytes', realm: 'asof.test' }
  const { terms } = settingsOver(chain)
  const walletProof = await openWalletProof({ terms, ...mpp, usedProofs, now: Date.now })
  shop = await startPlanShop(chain, {
    fetchPage,
    http: { adminToken: 'token-of-the-operator', walletProof },
    captures: [
      {
        url: 'https://a.example/',
        title: 'Ships',
        text: 'ships at sea '.repeat(300),
        publishedAt: '2024-01-01',
        acquiredAt: '2024-02-01',
      },
      { url: 'https://b.example/', text: 'boats 漢字 テスト 🚢' },
    ],
  })
  server = shop
  for (const name of ['buyer', 'poor']) {
    const { agent, token } = await server.access.registerAgent()
    keysOf[name] = token
    const plan = { ...server.access.plans[0]!, units: 1_000_000, rate_per_second: 1_000_000 }
    if (name === 'buyer') await server.access.grantPlan('tests', agent, plan, { method: 'operator', reference: 'fuzz' })
  }
  const rich = { rate_limit: 1_000_000, allowance: 1_000_000 }
  const customers = {
    good: rich,
    zdr: { ...rich, zdr: true },
    broke: { ...rich, allowance: 0 },
    slow: { ...rich, rate_limit: 1 },
    off: rich,
  }
  for (const [name, settings] of Object.entries(customers)) {
    const { key, keyId } = await addCustomer(server.access, settings)
    keysOf[name] = key
    if (name === 'off') await server.access.administer('key.disable', { id: keyId }, 'tests')
  }
  pool = new Pool(server.url, { connections: CONNECTIONS })
  const { body } = await pool.request({ method: 'GET', path: '/openapi.json' })
  document = (await body.json()) as Document
  ajv.addSchema(document, 'document')
})
afterAll(async () => {
  await pool.close()
  await shop.close()
  await deleteRecords(shop)
  await usedProofs.close()
  await rm(proofs, { recursive: true, force: true })
  await chain.close()
})

/** Paths left out: `/mcp` has a test with random messages, and `/admin` only answers 401 without its token. */
const elsewhere = /^\/(?:mcp$|admin\/)/

function operationsOf({ paths, components }: Document): Operation[] {
  const described = Object.entries(paths).filter(([path]) => !elsewhere.test(path))
  return described.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, security = [] }]) => {
      const reference = requestBody?.content['application/json'].schema.$ref
      return {
        method: method.toUpperCase(),
        path,
        credential:
          security.length === 0 ? undefined : security.some(needed => 'AgentToken' in needed) ? 'agent' : 'key',
        parameters: parameters.map(parameter =>
          '$ref' in parameter ? components.parameters[parameter.$ref.split('/').at(-1)!]! : parameter,
        ),
        body: reference === undefined ? undefined : components.schemas[reference.split('/').at(-1)!]!,
      }
    }),
  )
}

function validatorOf(pointer: string): ValidateFunction {
  let validator = validators.get(pointer)
  if (!validator) {
    validator = ajv.compile({ $ref: `document#${pointer}` })
    validators.set(pointer, validator)
  }
  return validator
}

/** Errors that any path may return. The document lists all others for each route. */
const undocumented: Record<number, string[]> = {
  400: ['invalid_request'],
  401: ['unauthorized'],
  404: ['not_found'],
  405: ['method_not_allowed'],
}

const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

/** The path of a request in the document. */
function describedPath({ described, path }: WireRequest): string {
  // The percent-encoded path belongs to the same route.
  return described ?? path.split('?', 1)[0]!.replace('%73', 's')
}

function responseOf(request: WireRequest, status: number): DocumentedResponse | undefined {
  return document.paths[describedPath(request)]?.[request.method.toLowerCase()]?.responses[status]
}

function judge(request: WireRequest, status: number, text: string): void {
  const { method } = request
  const described = describedPath(request)
  if (status === 500) throw new Error('500')
  if (method === 'HEAD') return
  const response = responseOf(request, status)
  if (response && 'text/markdown' in response.content) return
  const body: unknown = JSON.parse(text)
  const pointer = response
    ? `/paths/${escaped(described)}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
    : '/components/schemas/Error'
  const validate = validatorOf(pointer)
  if (!validate(body)) throw new Error(`not in its schema: ${ajv.errorsText(validate.errors)}`)
  if (status < 300) {
    if (!response) throw new Error(`${status} of what is not described`)
    return
  }
  const { error, x402Version } = body as { error: string; x402Version?: number }
  // The `error` of an offer is the reason why there is one.
  if (status === 402 && x402Version === 2) return
  const named = response ? response.description.includes(`\`${error}\``) : undocumented[status]?.includes(error)
  if (!named) throw new Error(`${status} ${error} is not documented here`)
}

/** Statuses that random requests to the routes of the storefront must have been answered with. */
const storefront: Record<string, number[]> = {
  '/v1/storefront/search': [200, 400, 401, 403],
  '/v1/storefront/fetch': [200, 400, 401, 403, 404],
  '/storefront/agents': [201, 400, 429],
  '/storefront/agents/me': [200, 401],
  '/storefront/agent/guide': [200, 400],
  '/storefront/agent/quote': [400, 402],
  '/plans/{planId}/purchase': [400, 401, 402, 404],
  '/openapi.json': [200, 400],
  '/services': [200, 400],
  '/services/{slug}/openapi.json': [200, 400, 404],
  '/manifest.json': [200, 400],
}

it('the OpenAPI document is valid', async () => {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
  expect([valid, errors]).toEqual([true, undefined])
})

it(`${BATCHES * BATCH} random requests to all operations of the OpenAPI document are answered as documented, never with a 500`, async () => {
  const seen = new Map<string, number>()
  async function send(request: WireRequest): Promise<void> {
    const { method, path, headers, body } = request
    const answer = await pool.request({ method, path, headers, body })
    const text = await answer.body.text()
    const name = `${answer.statusCode} ${request.described ?? path.split('?', 1)[0]}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
    try {
      judge(request, answer.statusCode, text)
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      const [type = 'application/json'] = Object.keys(responseOf(request, answer.statusCode)?.content ?? {})
      expect(answer.headers['content-type']).toMatch(new RegExp(`^${type}`))
      if (answer.statusCode === 429 || answer.statusCode === 503) {
        expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
      }
    } catch (cause) {
      const shown = JSON.stringify({ ...request, path: path.slice(0, 500), body: body?.slice(0, 500) })
      throw new Error(`${shown} → ${answer.statusCode} ${text.slice(0, 500)}: ${String(cause)}`, { cause })
    }
  }
  const bearer = (name: string) => fc.constant({ authorization: `Bearer ${keysOf[name]}` })
  const agents = fc.oneof({ weight: 6, arbitrary: bearer('buyer') }, { weight: 1, arbitrary: bearer('poor') })
  const keys = fc.oneof(
    { weight: 8, arbitrary: fc.constant({ 'x-api-key': keysOf.good! }) },
    { weight: 2, arbitrary: fc.constant({ authorization: `Bearer ${keysOf.good}` }) },
    ...['zdr', 'broke', 'slow', 'off'].map(name => ({
      weight: 1,
      arbitrary: fc.constant<Record<string, string>>({ 'x-api-key': keysOf[name]! }),
    })),
    {
      weight: 1,
      arbitrary: fc.constantFrom<Record<string, string>>(
        {},
        { 'x-api-key': '' },
        { 'x-api-key': 'asof_x' },
        { authorization: 'Basic x' },
      ),
    },
  )
  const post = (described: string, path: string, more: Record<string, string> = {}): WireRequest => {
    const headers = { 'content-type': 'application/json', ...more }
    return { described, method: 'POST', path, headers, body: '{}' }
  }
  const get = (path: string): WireRequest => {
    const headers = { 'x-api-key': keysOf.good!, 'x-service-title': 'fuzz' }
    return { described: path.split('?', 1)[0]!, method: 'GET', path, headers }
  }
  const purchase = `/plans/${server.access.plans[0]!.id}/purchase`
  // Random requests seldom get these answers: they soon use up the limit of registrations, and seldom carry a payment or a URL of a live page.
  const rare = [
    post('/storefront/agents', '/storefront/agents'),
    post('/plans/{planId}/purchase', purchase),
    post('/plans/{planId}/purchase', purchase, { 'payment-signature': 'e30=' }),
    post('/plans/{planId}/purchase', '/plans/none/purchase'),
    ...[1, 3].map(fate => get(`/v1/fetch?live=true&url=https%3A%2F%2Flive.example%2F${fate}`)),
    get('/openapi.json'),
  ]
  for (const request of rare) await send(request)
  const run = await fc.check(
    fc.asyncProperty(
      fc.array(anyRequest(operationsOf(document), keys, agents), { minLength: BATCH, maxLength: BATCH }),
      async requests => {
        await Promise.all(requests.map(send))
      },
    ),
    { numRuns: BATCHES, endOnFailure: true },
  )
  // Show only the request that failed, not the whole batch.
  if (run.failed) throw new Error(`seed ${run.seed}: ${String(run.errorInstance)}`)
  expect(server.failures).toEqual([])
  // The requests must have covered all routes and statuses.
  const statuses = new Set([...seen.keys()].map(name => Number(name.slice(0, 3))))
  for (const status of [200, 400, 401, 402, 403, 404, 405, 413, 415, 422, 429, 502, 504])
    expect(statuses).toContain(status)
  for (const [path, statuses] of Object.entries(storefront))
    for (const status of statuses) expect(seen.get(`${status} ${path}`) ?? 0, `${status} ${path}`).toBeGreaterThan(0)
  for (const path of ['/v1/search', '/v1/search/public', '/v1/storefront/search'])
    expect(seen.get(`200 ${path}`) ?? 0, path).toBeGreaterThan(BATCHES / 4)
  for (const path of ['/v1/fetch', '/v1/fetch/public', '/v1/storefront/fetch'])
    expect(seen.get(`200 ${path}`) ?? 0, path).toBeGreaterThan(BATCHES / 40)
})
