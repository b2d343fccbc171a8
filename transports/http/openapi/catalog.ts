import { z } from 'zod'
import { serviceSlugs } from '../../../service/accounts/index.ts'
import { documentFilters } from './catalog-schemas.ts'
import { queryParameters } from './json-schema.ts'
import type { Operation, Paths } from './operation.ts'
import { answer, failures } from './responses.ts'

function catalogOperation(operationId: string, summary: string, schema: string, filters: z.ZodObject): Operation {
  return {
    operationId,
    summary,
    security: [],
    parameters: queryParameters(filters),
    responses: {
      '200': answer('A part of the catalog.', schema),
      ...failures(['invalid_request', 'unsupported_media_type', 'rate_limited', 'internal_error']),
    },
  }
}

const none = z.strictObject({})
const documentOfService = catalogOperation('catalog_service_openapi', 'Describe one service', 'OpenApi', none)

/** The catalog: S6. */
export const catalogPaths: Paths = {
  '/openapi.json': {
    get: catalogOperation(
      'catalog_openapi',
      'Describe all operations, or those that filters select',
      'OpenApi',
      documentFilters,
    ),
  },
  '/services': { get: catalogOperation('catalog_services', 'List the services and their plans', 'ServiceList', none) },
  '/services/{slug}/openapi.json': {
    get: {
      ...documentOfService,
      parameters: [{ name: 'slug', in: 'path', required: true, schema: { type: 'string', enum: [...serviceSlugs] } }],
      responses: { ...documentOfService.responses, ...failures(['not_found']) },
    },
  },
  '/manifest.json': {
    get: catalogOperation('catalog_manifest', 'Describe the server: services, plans and payment', 'Manifest', none),
  },
}

/** An OpenAPI document. */
export const openApiSchema = {
  type: 'object',
  properties: { openapi: { const: '3.1.0' }, info: { type: 'object' }, paths: { type: 'object' } },
  required: ['openapi', 'info', 'paths'],
}
