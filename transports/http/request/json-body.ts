import type { FastifyInstance, FastifyRequest } from 'fastify'
import { faultText, jsonFault, refusedFields, ServiceError } from '../../../service/index.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The JSON value of a body, or the refusal if it is not JSON. */
export type JsonBody = { value: unknown; refusal?: undefined } | { refusal: ServiceError; value?: undefined }

/** The body of a request. A request without one has `undefined` as its body. */
type PostedBody = JsonBody & { bytes: Uint8Array }

/** Reads JSON. Does not throw, because 401, 403 and 429 come before the 400 of a body that is not JSON. */
export function readJsonBody(bytes: Uint8Array): JsonBody {
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

/** Makes JSON the only content type of bodies. */
export function addJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    const body: PostedBody = { bytes, ...readJsonBody(bytes) }
    done(null, body)
  })
}

/** The body of a request, or `undefined` if it has none. */
export function postedBody({ body }: FastifyRequest): PostedBody | undefined {
  return body as PostedBody | undefined
}

/** The value of a request's JSON body; `undefined` for a missing body. @throws ServiceError invalid_request */
export function bodyOf(request: FastifyRequest): unknown {
  const body = postedBody(request)
  if (body?.refusal) throw body.refusal
  return body?.value
}

/** Refuses a body other than none or `{}`, on a route without fields. @throws ServiceError invalid_request */
export function refuseBodyFields(request: FastifyRequest): void {
  const body = bodyOf(request)
  const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0
  if (body !== undefined && !isEmpty) throw new ServiceError('invalid_request', 'The body must be empty or {}.')
}
