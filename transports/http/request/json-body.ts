import { ServiceError } from '../../service/index.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A request body: its value, or why it is not JSON. */
export type JsonBody = { value: unknown } | { refusal: ServiceError }

/**
 * Reads a JSON body without throwing: refusals have an order (spec part 7, 401 before 400), so what is wrong with the
 * body is held until its turn. No body at all is `undefined`.
 */
export function readJsonBody(bytes: unknown): JsonBody {
  if (!(bytes instanceof Uint8Array)) return { value: undefined }
  try {
    return { value: JSON.parse(utf8.decode(bytes)) as unknown }
  } catch (cause) {
    return { refusal: new ServiceError('invalid_request', 'The body is not valid JSON in UTF-8.', { cause }) }
  }
}
