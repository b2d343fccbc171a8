/** Parameters that several routes share. The OpenAPI document has each of them once, among its components. */
export const parameters = {
  ServiceTitle: {
    name: 'X-Service-Title',
    in: 'header',
    description: 'Name of the calling application, cut after 256 characters. Required unless service_title is given.',
    schema: { type: 'string' },
  },
  ServiceTitleQuery: {
    name: 'service_title',
    in: 'query',
    description: 'Name of the calling application, instead of X-Service-Title.',
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
} as const

export type ParameterName = keyof typeof parameters

/** How callers identify themselves. */
export const securitySchemes = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The API key; wins over Authorization. KEY@TIME answers as of TIME, in the forms of query_time.',
  },
  BearerKey: { type: 'http', scheme: 'bearer', description: 'The API key, or KEY@TIME.' },
  AgentToken: { type: 'http', scheme: 'bearer', description: 'The token of a registered agent.' },
  AdminToken: { type: 'http', scheme: 'bearer', description: 'The admin token of the operator.' },
} as const

/** The security of routes with a key. */
export const byKey: readonly Record<string, readonly string[]>[] = [{ ApiKey: [] }, { BearerKey: [] }]
