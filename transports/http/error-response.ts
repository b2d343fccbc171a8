import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { isError } from '@asof/extract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError, toServiceError, type WireErrorName } from '../../service/index.ts'

/** Returns a number of bytes as text, such as `256 KiB`. */
function sizeText(bytes: number): string {
  return bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MiB` : `${bytes / 2 ** 10} KiB`
}

const malformed = ['invalid_request', 'The request is malformed.'] as const

/** The wire errors of Fastify's error codes, with their messages. */
const fastifyErrors: Readonly<Record<string, readonly [WireErrorName, message: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body exceeds the size limit.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'The body must be application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: malformed,
  FST_ERR_BAD_URL: malformed,
  ECONNRESET: malformed,
  // A parameter in the path exceeds Fastify's limit of length. No route accepts parameters of that length.
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is no such path.'],
  FST_ERR_HANDLER_TIMEOUT: ['overloaded', 'The answer took too long.'],
}

/** Returns the wire error for an error of Fastify, and `undefined` for any other failure. */
function fromFastify(cause: unknown): ServiceError | undefined {
  if (!isError(cause) || !('code' in cause)) return undefined
  const [kind, message] = fastifyErrors[String(cause.code)] ?? []
  if (kind === undefined || message === undefined) return undefined
  return new ServiceError(kind, message, { cause, retryAfterSeconds: kind === 'overloaded' ? 1 : undefined })
}

/**
 * Returns the wire error (spec 2.7) for any failure of a request.
 *
 * @param request - names the limit of its route. Undefined if the request has no route.
 */
export function wireFailure(failure: unknown, request?: FastifyRequest): ServiceError {
  const error = fromFastify(failure) ?? toServiceError(failure)
  const { bodyLimit } = request?.routeOptions ?? {}
  if (error.kind !== 'payload_too_large' || bodyLimit === undefined) return error
  return new ServiceError(error.kind, `The body exceeds the size limit (${sizeText(bodyLimit)}).`, {
    cause: error.cause,
  })
}

/**
 * Returns the `WWW-Authenticate` header of a 401 (RFC 6750, 3; RFC 9728, 5.1). The header has the error `invalid_token` if the
 * request has a credential of the kind that the route accepts.
 */
function bearerChallenge({ admission }: FastifyRequest): string {
  const parts = ['Bearer realm="asof"']
  if (admission?.presentsCredential) parts.push('error="invalid_token"')
  if (admission?.metadataUrl !== undefined) parts.push(`resource_metadata="${admission.metadataUrl}"`)
  return parts.join(', ')
}

/**
 * Sends a refusal: status, body, `Retry-After` if the error has one, and the challenge of a 401.
 *
 * @param written - the status and body. Default: those of spec 2.7.
 */
export function sendFailure(
  reply: FastifyReply,
  error: ServiceError,
  written: { status: number; body: object } = { status: error.statusCode, body: error.toBody() },
): FastifyReply {
  reply.request.refusal = error
  if (written.status === 401 && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', bearerChallenge(reply.request))
  }
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  return reply.code(written.status).type('application/json; charset=utf-8').send(written.body)
}

/** Returns the wire error for an error code of Node's HTTP parser. */
function fromParser(code: string | undefined): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError('request_timeout', 'The request took too long to arrive.')
  }
  if (code === 'HPE_HEADER_OVERFLOW') return new ServiceError('invalid_request', 'The headers are too large.')
  return new ServiceError('invalid_request', 'The request is not valid HTTP.')
}

/** Answers a message that Node's HTTP parser rejected. Fastify never sees it as a request. */
export function answerParserFailure(failure: Error & { code?: string }, socket: Socket): void {
  // The peer has closed the connection.
  if (failure.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const error = fromParser(failure.code)
  const body = JSON.stringify(error.toBody())
  // The connection is closed after the answer. Otherwise a peer that does not close its side would hold it forever.
  socket.once('finish', () => socket.destroySoon())
  socket.end(
    `HTTP/1.1 ${error.statusCode} ${STATUS_CODES[error.statusCode]}\r\n` +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-request-id: ${randomUUID()}\r\nconnection: close\r\n\r\n${body}`,
  )
}
