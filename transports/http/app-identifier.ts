import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../service/index.ts'

/**
 * Checks that a keyless call names its application: header `X-Service-Title`, or query parameter `service_title`.
 * A value of any length will do (spec E2: longer ones are truncated, not refused).
 *
 * @throws ServiceError missing_app_identifier
 */
export function requireAppIdentifier(request: FastifyRequest, query: Readonly<Record<string, unknown>>): void {
  const named = [request.headers['x-service-title'], query.service_title]
  if (named.some(value => typeof value === 'string' && value.trim() !== '')) return
  throw new ServiceError(
    'missing_app_identifier',
    'Name your application in the X-Service-Title header or the service_title query parameter.',
  )
}
