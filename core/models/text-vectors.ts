import { AsofError } from '../errors.ts'
import { quantized } from '../vectors/quantized.ts'
import type { StoredVectors } from '../vectors/stored-vectors.ts'
import type { Embedder, TextKind } from './embedder.ts'
import type { ModelCalls } from './model-calls.ts'

/** Texts that a model is given at a time. */
export const TEXTS_AT_ONCE = 16
/** UTF-16 units of a page that a model is given. */
export const PASSAGE_UNITS = 2000

/**
 * Returns what a model is given of a page: the beginning of its title and text, the same for texts that differ in white
 * space alone. These are one capture, whose vector must not depend on which of them came first.
 *
 * @param text - as `plainText` makes it, with no white space but single spaces and line feeds.
 */
export function passageOf(title: string, text: string): string {
  const beginning = text.slice(0, PASSAGE_UNITS).replaceAll('\n', ' ')
  // A pair that is cut in two is no text that could be sent.
  return `${title.replace(/\s+/g, ' ').trim()}\n${beginning}`.slice(0, PASSAGE_UNITS).toWellFormed()
}

/**
 * The vectors of at most {@link TEXTS_AT_ONCE} texts.
 *
 * @throws ASOF_MODEL_FAILED, ASOF_CLOSED
 */
export function textVectors(
  texts: readonly string[],
  kind: TextKind,
  { embedder, stored, calls }: { embedder: Embedder; stored: StoredVectors; calls: ModelCalls },
): Promise<Int8Array[]> {
  return calls.run(async signal => {
    const vectors = await embedder.embed(texts, { kind, signal })
    if (vectors.length !== texts.length)
      throw new AsofError('ASOF_MODEL_FAILED', `it answered ${texts.length} texts with ${vectors.length} vectors`)
    return vectors.map(vector => {
      const made = quantized(vector)
      stored.expectDimensions(made)
      return made
    })
  })
}
