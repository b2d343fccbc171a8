import type { FastifyInstance, FastifyRequest } from 'fastify'
import { faultText, jsonFault, refusedFields, ServiceError } from '../../../service/index.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The JSON value of a body, or the refusal if it is not JSON. */
export type JsonBody = { value: unknown; refusal?: undefined } | { refusal: ServiceError; value?: undefined }

/** The body of a POST request until it is validated. */
export type PostedBody = JsonBody & {
  /** Empty for a request without a body. */
  bytes: Uint8Array
  /** The request, whose query parameters belong in the body. */
  request: FastifyRequest
}

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
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const body: PostedBody = { bytes, request, ...readJsonBody(bytes) }
    done(null, body)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const none: PostedBody = { bytes: new Uint8Array(), request, value: undefined }
    if (request.method === 'POST') request.body ??= none
    done()
  })
}

/** The body of a POST request before it is validated. */
export function postedBody({ body }: FastifyRequest): PostedBody | undefined {
  return body as PostedBody | undefined
}

/** Refuses a body other than none or `{}`, on a route without fields. @throws ServiceError invalid_request */
export function refuseBodyFields(request: FastifyRequest): void {
  const { value: body, refusal } = postedBody(request) ?? {}
  if (refusal) throw refusal
  const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0
  if (body !== undefined && !isEmpty) throw new ServiceError('invalid_request', 'The body must be empty or {}.')
}
