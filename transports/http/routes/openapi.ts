import { z } from 'zod'
import {
  errorResponse,
  feedbackRequest,
  feedbackResponse,
  fetchRequest,
  fetchResponse,
  historyRequest,
  historyResponse,
  searchRequest,
  searchResponse,
  suggestRequest,
  suggestResponse,
  type WireErrorName,
  wireErrors,
} from '../../service/index.ts'

type JsonSchema = Readonly<Record<string, unknown>>
export type OpenApiDocument = Readonly<Record<string, unknown>>

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  return rest
}

function reference(name: string) {
  return { $ref: `#/components/schemas/${name}` }
}

function json(name: string) {
  return { 'application/json': { schema: reference(name) } }
}

/** The query parameters of a GET route, derived from the schema that validates them. */
function queryParameters(schema: z.ZodObject) {
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    // A query string has no null. An empty value means the same.
    schema: Array.isArray(property.type) ? { ...property, type: 'string' } : property,
  }))
}

const rateLimitHeaders = Object.fromEntries(
  ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].map(name => [
    name,
    { schema: { type: 'integer', minimum: 0 } },
  ]),
)

const requestIdHeader = { 'X-Request-Id': { schema: { type: 'string' } } }

const challengeHeader = {
  'WWW-Authenticate': {
    description: 'A Bearer challenge (RFC 6750); `error="invalid_token"` if a key was sent.',
    schema: { type: 'string' },
  },
}

function failures(names: readonly WireErrorName[]) {
  const byStatus = Map.groupBy(names, name => wireErrors[name].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: group.map(name => `\`${wireErrors[name].error}\``).join(', '),
        headers: {
          ...requestIdHeader,
          ...rateLimitHeaders,
          ...(status === 401 ? challengeHeader : {}),
          ...(status === 429 || status === 503 ? { 'Retry-After': { schema: { type: 'integer', minimum: 1 } } } : {}),
        },
        content: json('Error'),
      },
    ]),
  )
}

const always: readonly WireErrorName[] = [
  'invalid_request',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'overloaded',
]

const fetching: readonly WireErrorName[] = [
  'address_refused',
  'not_indexed',
  'target_not_found',
  'unprocessable',
  'robots_disallowed',
  'target_rate_limited',
  'target_unreachable',
  'target_timeout',
]

const keyRefusals: readonly WireErrorName[] = ['unauthorized', 'insufficient_credits', 'forbidden']

const searched = {
  description: 'Ranked results.',
  headers: {
    ...requestIdHeader,
    ...rateLimitHeaders,
    'X-Asof-Receipt': {
      description:
        'Compact JSON: the state of the index that the answer was made from. The same receipt means the same answer.',
      schema: { type: 'string' },
    },
  },
  content: json('SearchResponse'),
}

const fetched = {
  description: 'The page.',
  headers: {
    ...requestIdHeader,
    ...rateLimitHeaders,
    'X-Asof-Reader': {
      description: 'The reader that answered a `prompt`: `llm` or `extractive`.',
      schema: { type: 'string' },
    },
  },
  content: json('FetchResponse'),
}

const usageHeader = {
  'X-Asof-Usage': {
    description: 'Compact JSON: the charge of the call, with `sku`, `amount`, `credits` and `paid`.',
    schema: { type: 'string' },
  },
}

/** The description of a 200, with the usage header on routes that charge. */
function answered(answer: { headers: object }, charged: boolean): object {
  return charged ? { ...answer, headers: { ...answer.headers, ...usageHeader } } : answer
}

const titled = [{ $ref: '#/components/parameters/ServiceTitle' }, { $ref: '#/components/parameters/ServiceTitleQuery' }]

/** One way to call search, fetch and history (keyless, keyed or paid): its parameters, security and refusals. */
interface Route {
  /** Suffixes of its paths and operation ids. */
  suffix: { path: string; id: string }
  kind: string
  parameters: readonly object[]
  security: readonly object[]
  searchFailures: readonly WireErrorName[]
  fetchFailures: readonly WireErrorName[]
}

const keyless: Route = {
  suffix: { path: '/public', id: '_public' },
  kind: 'keyless',
  parameters: titled,
  security: [],
  searchFailures: [...always, 'missing_app_identifier', 'unauthorized'],
  fetchFailures: [...always, ...fetching, 'missing_app_identifier'],
}

const keyed: Route = {
  suffix: { path: '', id: '' },
  kind: 'with an API key',
  parameters: [],
  security: [{ ApiKey: [] }, { BearerKey: [] }],
  searchFailures: [...always, ...keyRefusals, 'zdr_wizards_unsupported', 'zdr_unsupported_profile'],
  fetchFailures: [...always, ...fetching, ...keyRefusals, 'zdr_prompt_unsupported'],
}

const paidFailures: readonly WireErrorName[] = [
  ...always,
  'payment_required',
  'payment_settlement_failed',
  'forbidden',
  'unavailable_region',
  'payments_unavailable',
]

const paid: Route = {
  suffix: { path: '', id: '_x402' },
  kind: 'paid for by the request (x402)',
  parameters: [{ $ref: '#/components/parameters/PaymentSignature' }],
  security: [],
  searchFailures: paidFailures,
  fetchFailures: [...paidFailures, ...fetching],
}

/** The operations of the paid routes, with their paths and payment headers. */
function paidOperations() {
  const described = operations(paid)
  return Object.fromEntries(
    Object.entries(described).map(([path, methods]) => [
      path.replace('/v1/', '/v1/x402/'),
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, withPayment(operation)])),
    ]),
  )
}

function withPayment<Operation extends { responses: Record<string, object> }>(operation: Operation) {
  const { '200': answered, '402': refused, ...others } = operation.responses as Record<string, { headers?: object }>
  const header = (description: string) => ({ description, schema: { type: 'string' } })
  const response = { 'PAYMENT-RESPONSE': header('Receipt with the hash of the transaction: JSON in base64.') }
  return {
    ...operation,
    responses: {
      ...others,
      '200': { ...answered, headers: { ...answered?.headers, ...response } },
      '402': {
        ...refused,
        description: 'An offer, or `Payment settlement failed`; then the result is withheld.',
        headers: {
          ...refused?.headers,
          ...response,
          'PAYMENT-REQUIRED': header('The offer: JSON in base64. Absent if a settlement failed.'),
        },
        content: {
          'application/json': { schema: { anyOf: [reference('PaymentOffer'), reference('Error')] } },
        },
      },
    },
  }
}

/** The body of an offer (spec 2.8). */
const paymentOffer = z.strictObject({
  x402Version: z.literal(2),
  error: z.string(),
  resource: z.looseObject({ url: z.string() }),
  accepts: z.array(
    z.strictObject({
      scheme: z.literal('exact'),
      network: z.string(),
      amount: z.string().describe("In the token's smallest unit."),
      asset: z.string(),
      payTo: z.string(),
      maxTimeoutSeconds: z.int(),
      extra: z.strictObject({ name: z.string(), version: z.string() }),
    }),
  ),
})

function operations({ suffix, kind, parameters, security, searchFailures, fetchFailures }: Route) {
  const charged = security.length > 0
  return {
    [`/v1/search${suffix.path}`]: {
      post: {
        operationId: `search${suffix.id}_post`,
        summary: `Search, ${kind}`,
        security,
        parameters,
        requestBody: { required: true, content: json('SearchRequest') },
        responses: { '200': answered(searched, charged), ...failures([...searchFailures, 'payload_too_large']) },
      },
      get: {
        operationId: `search${suffix.id}_get`,
        summary: `Search, ${kind}, parameters in the query string`,
        security,
        parameters: [...parameters, ...queryParameters(searchRequest)],
        responses: { '200': answered(searched, charged), ...failures(searchFailures) },
      },
    },
    [`/v1/fetch${suffix.path}`]: {
      get: {
        operationId: `fetch${suffix.id}`,
        summary: `Fetch one page as markdown, ${kind}`,
        security,
        parameters: [...parameters, ...queryParameters(fetchRequest)],
        responses: { '200': answered(fetched, charged), ...failures(fetchFailures) },
      },
    },
  }
}

const suggestOperation = {
  '/v1/suggest': {
    get: {
      operationId: 'suggest',
      summary: 'Suggest titles and sites of the newest pages for the beginning of a query',
      security: [],
      parameters: queryParameters(suggestRequest),
      responses: {
        '200': {
          description: 'The suggestions, best first.',
          headers: { ...requestIdHeader, ...rateLimitHeaders },
          content: json('SuggestResponse'),
        },
        ...failures(always),
      },
    },
  },
}

function historyOperation({ suffix, kind, parameters, security }: Route) {
  const refusals: readonly WireErrorName[] =
    security.length > 0 ? ['unauthorized', 'forbidden'] : ['missing_app_identifier']
  return {
    [`/v1/history${suffix.path}`]: {
      get: {
        operationId: `history${suffix.id}`,
        summary: `List the versions of one page and what each changed, ${kind}; free of charge`,
        security,
        parameters: [...parameters, ...queryParameters(historyRequest)],
        responses: {
          '200': {
            description: 'The versions.',
            headers: { ...requestIdHeader, ...rateLimitHeaders },
            content: json('HistoryResponse'),
          },
          ...failures([...always, ...refusals, 'not_indexed']),
        },
      },
    },
  }
}

function feedbackOperation({ security }: Route) {
  return {
    '/v1/feedback': {
      post: {
        operationId: 'feedback',
        summary: 'Rate the relevance of pages to a query',
        security,
        requestBody: { required: true, content: json('FeedbackRequest') },
        responses: {
          '200': {
            description: 'The feedback is stored.',
            headers: { ...requestIdHeader, ...rateLimitHeaders },
            content: json('FeedbackResponse'),
          },
          ...failures([...always, 'unauthorized', 'forbidden', 'payload_too_large', 'not_found']),
        },
      },
    },
  }
}

const securitySchemes = {
  ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The API key; wins over Authorization.' },
  BearerKey: { type: 'http', scheme: 'bearer', description: 'The API key.' },
}

function probe(id: string, summary: string, status: string, refusals: readonly WireErrorName[] = []) {
  const schema = {
    type: 'object',
    properties: { status: { const: status } },
    required: ['status'],
    additionalProperties: false,
  }
  return {
    operationId: id,
    summary,
    responses: {
      '200': {
        description: 'The check succeeded.',
        headers: requestIdHeader,
        content: { 'application/json': { schema } },
      },
      ...failures(refusals),
    },
  }
}

/**
 * The OpenAPI 3.1 document of the server, derived from the schemas that validate its requests.
 *
 * @param options.keyed - true if the server has keyed routes.
 * @param options.paid - true if it receives payments.
 */
export function openApiDocument(options: { baseUrl?: string; keyed: boolean; paid: boolean }): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'asof',
      version: '1.0.0',
      description: 'Web search and page fetch, as of now or any moment in the past.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.baseUrl ?? '/' }],
    paths: {
      ...operations(keyless),
      ...historyOperation(keyless),
      ...suggestOperation,
      ...(options.keyed ? { ...operations(keyed), ...historyOperation(keyed), ...feedbackOperation(keyed) } : {}),
      ...(options.paid ? paidOperations() : {}),
      '/healthz': { get: probe('healthz', 'Check that the server answers', 'ok') },
      '/readyz': {
        get: probe('readyz', 'Check that the server can answer searches and is not stopping', 'ready', ['overloaded']),
      },
    },
    components: {
      ...(options.keyed ? { securitySchemes } : {}),
      parameters: {
        ServiceTitle: {
          name: 'X-Service-Title',
          in: 'header',
          description:
            'Name of the calling application, cut after 256 characters. Required unless service_title is given.',
          schema: { type: 'string' },
        },
        ...(options.paid && {
          PaymentSignature: {
            name: 'PAYMENT-SIGNATURE',
            in: 'header',
            description: 'Signed payment for an offered option: JSON in base64 (x402 v2).',
            schema: { type: 'string' },
          },
        }),
        ServiceTitleQuery: {
          name: 'service_title',
          in: 'query',
          description: 'Name of the calling application, instead of X-Service-Title.',
          schema: { type: 'string' },
        },
      },
      schemas: {
        SearchRequest: jsonSchema(searchRequest, 'input'),
        SearchResponse: jsonSchema(searchResponse, 'output'),
        SuggestResponse: jsonSchema(suggestResponse, 'output'),
        FetchResponse: jsonSchema(fetchResponse, 'output'),
        HistoryResponse: jsonSchema(historyResponse, 'output'),
        ...(options.keyed && {
          FeedbackRequest: jsonSchema(feedbackRequest, 'input'),
          FeedbackResponse: jsonSchema(feedbackResponse, 'output'),
        }),
        ...(options.paid && { PaymentOffer: jsonSchema(paymentOffer, 'output') }),
        Error: jsonSchema(errorResponse, 'output'),
      },
    },
  }
}
