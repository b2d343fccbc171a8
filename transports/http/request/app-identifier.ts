import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { firstCodePoints, printableLine, ServiceError } from '../../../service/index.ts'
import { queryOf } from '../schema/read-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Name of the calling application, at most {@link MAX_TITLE_CHARS} characters. */
    applicationTitle: string | undefined
  }
}

/** Maximum length of the name of an application. Longer names are cut (spec E2). */
const MAX_TITLE_CHARS = 256

/** Decodes a header value as UTF-8 if it is valid UTF-8. Node reads header values as Latin-1. */
function decoded(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : header
}

function titleOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  // Control characters and line breaks must not get into log lines and metric labels.
  const title = firstCodePoints(printableLine(value), MAX_TITLE_CHARS).trim()
  return title === '' ? undefined : title
}

/**
 * Takes the application name of a keyless call from the header `X-Service-Title` or the query parameter `service_title`,
 * and sets `request.applicationTitle` for the log and the metrics. The query keeps the other parameters.
 *
 * @throws ServiceError missing_app_identifier - the call has no such name.
 */
export function requireAppIdentifier(request: FastifyRequest): void {
  const { service_title: parameter, ...query } = queryOf(request)
  request.query = query
  const header = request.headers['x-service-title']
  request.applicationTitle = titleOf(typeof header === 'string' ? decoded(header) : undefined) ?? titleOf(parameter)
  if (request.applicationTitle !== undefined) return
  const reason = 'Name your application in the X-Service-Title header or the service_title query parameter.'
  throw new ServiceError('missing_app_identifier', reason, { details: [{ path: 'X-Service-Title', reason }] })
}

/**
 * Sets the name of an application that speaks to a dialect, for the log and the metrics. Clients of other services do not name it, so the name is that of the client, or the dialect.
 */
export function nameApplication(request: FastifyRequest, dialect: string): void {
  const { 'x-service-title': title, 'x-client-source': source, 'user-agent': agent } = request.headers
  request.applicationTitle = [title, source, agent].map(titleOf).find(name => name !== undefined) ?? dialect
}
