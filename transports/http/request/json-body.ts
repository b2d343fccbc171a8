import type { FastifyRequest } from 'fastify'
import { faultText, jsonFault, refusedFields, ServiceError } from '../../../service/index.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A request body: its value, or the refusal if it is not JSON. */
export type JsonBody = { value: unknown } | { refusal: ServiceError }

/**
 * Reads a JSON body; the value of a missing body is `undefined`. Does not throw, because refusals have an order in which
 * 401 comes before 400 (decisions on access and credits): the route throws the refusal when its turn comes.
 */
export function readJsonBody(bytes: unknown): JsonBody {
  if (!(bytes instanceof Uint8Array)) return { value: undefined }
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    const reason = 'The body is not valid UTF-8.'
    return { refusal: refusedFields('invalid_request', [{ path: '', reason }], { cause }) }
  }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (cause) {
    const fault = jsonFault(text)
    const reason = `The body is not valid JSON${fault === undefined ? '' : `: ${faultText(fault)}`}.`
    return { refusal: refusedFields('invalid_request', [{ path: '', reason }], { cause }) }
  }
}

/** The value of a request's JSON body; `undefined` for a missing body. @throws ServiceError invalid_request */
export function bodyOf(request: FastifyRequest): unknown {
  const body = readJsonBody(request.body)
  if ('refusal' in body) throw body.refusal
  return body.value
}

/** Refuses a body other than none or `{}`, on a route without fields. @throws ServiceError invalid_request */
export function refuseBodyFields(request: FastifyRequest): void {
  const body = bodyOf(request)
  const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0
  if (body !== undefined && !isEmpty) throw new ServiceError('invalid_request', 'The body must be empty or {}.')
}
