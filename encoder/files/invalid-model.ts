import { AsofError } from '@asof/extract/errors'

/** Returns the error for a file of a model that is damaged, or that is of a kind which the encoder does not know. */
export function invalidModel(message: string, cause?: unknown): AsofError {
  return new AsofError('ASOF_MODEL_INVALID', message, { cause })
}
