import { Validator } from '@seriousme/openapi-schema-validator'

/** Validates an OpenAPI 3.1 document. Returns what is wrong with it, or `undefined`. */
export async function validationErrors(document: object): Promise<unknown> {
  const validator = new Validator()
  const { valid, errors } = await validator.validate({ ...structuredClone(document) })
  if (valid) return validator.version === '3.1' ? undefined : `version ${validator.version}`
  return errors ?? 'invalid'
}
