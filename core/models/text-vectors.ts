import { AsofError } from '@asof/extract/errors'
import { quantize } from '../vectors/quantized.ts'
import type { StoredModels } from '../vectors/stored-models.ts'
import type { Embedder, TextKind } from './embedder.ts'
import type { ModelCalls } from './model-calls.ts'

/** Maximum number of texts in one call of the model. */
export const TEXTS_AT_ONCE = 16
/** Maximum length of a passage, in UTF-16 units, of a model that does not say another. */
export const PASSAGE_UNITS = 2000

/**
 * Returns the text of a page for models: its title and the beginning of its text. White space is collapsed, because
 * texts that differ only in white space belong to one capture and must have the same vector.
 *
 * @param text - from `plainText`: the only white space is single spaces and line feeds.
 * @param units - maximum length of the passage.
 */
export function passageOf(title: string, text: string, units = PASSAGE_UNITS): string {
  const beginning = text.slice(0, units).replaceAll('\n', ' ')
  // If the cut splits a surrogate pair, the remaining half is replaced.
  return `${title.replace(/\s+/g, ' ').trim()}\n${beginning}`.slice(0, units).toWellFormed()
}

/**
 * Computes the vectors of at most {@link TEXTS_AT_ONCE} texts with the model.
 *
 * @throws ASOF_MODEL_FAILED, ASOF_CLOSED
 */
export function textVectors(
  texts: readonly string[],
  kind: TextKind,
  { embedder, models, calls }: { embedder: Embedder; models: StoredModels; calls: ModelCalls },
): Promise<Int8Array[]> {
  return calls.run(async signal => {
    const vectors = await embedder.embed(texts, { kind, signal })
    if (vectors.length !== texts.length)
      throw new AsofError('ASOF_MODEL_FAILED', `it answered ${texts.length} texts with ${vectors.length} vectors`)
    return vectors.map(vector => {
      const made = quantize(vector)
      models.expectDimensions(made)
      return made
    })
  })
}
