import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { firstCodePoints, printable, ServiceError } from '../../service/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the calling application calls itself, at most {@link MAX_TITLE_CHARS} characters. */
    serviceTitle: string | undefined
  }
}

/** Longer names are cut (spec E2). */
export const MAX_TITLE_CHARS = 256

/** Header values come as latin1, one character a byte; nearly everybody writes UTF-8. */
function decoded(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : header
}

function titleOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  // A line of a log and a label of a metric hold no control characters.
  const title = firstCodePoints(printable(value).replace(/\s+/g, ' ').trim(), MAX_TITLE_CHARS).trim()
  return title === '' ? undefined : title
}

/**
 * Reads the name of the application that a keyless call must give, in the header `X-Service-Title` or the query parameter
 * `service_title`, and notes it in `request.serviceTitle` for the log and the metrics.
 *
 * @throws ServiceError missing_app_identifier
 */
export function requireAppIdentifier(request: FastifyRequest, query: Readonly<Record<string, unknown>>): void {
  const header = request.headers['x-service-title']
  request.serviceTitle =
    titleOf(typeof header === 'string' ? decoded(header) : undefined) ?? titleOf(query.service_title)
  if (request.serviceTitle !== undefined) return
  throw new ServiceError(
    'missing_app_identifier',
    'Name your application in the X-Service-Title header or the service_title query parameter.',
  )
}
