import {
  errorResponse,
  feedbackRequest,
  feedbackResponse,
  fetchResponse,
  historyResponse,
  searchRequest,
  searchResponse,
  suggestResponse,
} from '../../../service/index.ts'
import { quoteRequest, quoteResponse } from '../../../service/storefront/advisor/index.ts'
import { adminResult } from './admin.ts'
import { openApiSchema } from './catalog.ts'
import { manifest, serviceList } from './catalog-schemas.ts'
import { jsonSchema } from './json-schema.ts'
import { mcpMessage } from './mcp.ts'
import { paymentChallenge } from './mpp.ts'
import { purchaseReceipt } from './purchases.ts'
import { agentPlans, agentRegistration, bearerRequired, planRequired } from './storefront.ts'
import { paymentOffer } from './x402.ts'

/** Components by kind, then by name. */
export type Components = Readonly<Record<string, Readonly<Record<string, object>>>>

/** Everything that an operation can refer to. A document has only the components that its operations refer to. */
export const components: Components = {
  securitySchemes: {
    ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The API key; wins over Authorization.' },
    BearerKey: { type: 'http', scheme: 'bearer', description: 'The API key.' },
    AgentToken: { type: 'http', scheme: 'bearer', description: 'The token of a registered agent.' },
    AdminToken: { type: 'http', scheme: 'bearer', description: 'The admin token of the operator.' },
  },
  parameters: {
    ServiceTitle: {
      name: 'X-Service-Title',
      in: 'header',
      description: 'Name of the calling application, cut after 256 characters. Required unless service_title is given.',
      schema: { type: 'string' },
    },
    PaymentSignature: {
      name: 'PAYMENT-SIGNATURE',
      in: 'header',
      description: 'Signed payment for an offered option: JSON in base64 (x402 v2).',
      schema: { type: 'string' },
    },
    PaymentAuthorization: {
      name: 'Payment-Authorization',
      in: 'header',
      description: 'Credential of MPP for an offered challenge: `Payment` and JSON in base64url.',
      schema: { type: 'string' },
    },
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'Names the purchase. A repeated call with it gets the same receipt.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
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
    FeedbackRequest: jsonSchema(feedbackRequest, 'input'),
    FeedbackResponse: jsonSchema(feedbackResponse, 'output'),
    PaymentOffer: jsonSchema(paymentOffer, 'output'),
    BearerRequired: jsonSchema(bearerRequired, 'output'),
    PlanRequired: jsonSchema(planRequired, 'output'),
    AgentRegistration: jsonSchema(agentRegistration, 'output'),
    QuoteRequest: jsonSchema(quoteRequest, 'input'),
    QuoteResponse: jsonSchema(quoteResponse, 'output'),
    AgentPlans: jsonSchema(agentPlans, 'output'),
    PaymentChallenge: jsonSchema(paymentChallenge, 'output'),
    PurchaseReceipt: jsonSchema(purchaseReceipt, 'output'),
    ServiceList: jsonSchema(serviceList, 'output'),
    Manifest: jsonSchema(manifest, 'output'),
    OpenApi: openApiSchema,
    AdminResult: adminResult,
    McpMessage: mcpMessage,
    Error: jsonSchema(errorResponse, 'output'),
  },
}

/** The components that a part of a document refers to, as `kind/name`, with those that these refer to. */
function referencedFrom(part: unknown, all: Components, found = new Set<string>()): Set<string> {
  if (typeof part !== 'object' || part === null) return found
  for (const [key, value] of Object.entries(part)) {
    if (key === '$ref' && typeof value === 'string') {
      const [kind = '', name = ''] = value.replace('#/components/', '').split('/')
      if (found.has(`${kind}/${name}`)) continue
      found.add(`${kind}/${name}`)
      referencedFrom(all[kind]?.[name], all, found)
    } else if (key === 'security' && Array.isArray(value)) {
      for (const name of value.flatMap(requirement => Object.keys(requirement as object))) {
        found.add(`securitySchemes/${name}`)
      }
    } else {
      referencedFrom(value, all, found)
    }
  }
  return found
}

/** The components that paths refer to, directly or through other components. */
export function referencedComponents(paths: object, all: Components): Components {
  const found = referencedFrom(paths, all)
  return Object.fromEntries(
    Object.entries(all).flatMap(([kind, members]) => {
      const kept = Object.entries(members).filter(([name]) => found.has(`${kind}/${name}`))
      return kept.length === 0 ? [] : [[kind, Object.fromEntries(kept)]]
    }),
  )
}
