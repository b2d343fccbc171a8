import { invalidOption } from '@asof/extract/errors'
import { languageOfTag } from '../text/languages/language-detection.ts'
import { MAX_VECTOR_BYTES } from '../vectors/vector-table.ts'
import type { Embedder, Reranker } from './embedder.ts'

/** The models of an engine. */
export interface ModelOptions {
  /**
   * An embeddings model. The vectors of captures are stored and contribute to the ranking `pro`. A failed or slow model
   * delays neither captures nor searches, see `Engine.embed` and the `warning` of an answer. Default: no model and no
   * vectors.
   */
  embed?: Embedder
  /**
   * A model that reads the 25 best results of `pro` together with the query, and orders them. If it fails or takes
   * longer than 3 s, the order stays, and the answer has a `warning`. Default: no model.
   */
  rerank?: Reranker
  /**
   * Memory for the vectors of captures, bytes, 0 to 3 GiB: one byte for each dimension of each capture. All threads share it, and it is taken
   * only as vectors are added. While the captures acquired up to the instant of a search fit, superseded ones included, each of them is compared
   * with the query; otherwise vectors only order the captures that words found. So answers depend on it, and receipts say how many captures were
   * compared. Default 384 MiB: a million captures at 384 dimensions.
   */
  vectorBytes?: number
}

const MAX_MODEL_LANGUAGES = 200
/** No more than what is read of a page at once. */
const MAX_PASSAGE_UNITS = 65_536

/**
 * Checks the models before anything is created.
 *
 * @throws ASOF_INVALID_OPTION - a model has no name or no function, or its languages are no language tags; or a size is out of range.
 */
export function checkModels({ embed, rerank, vectorBytes = 0 }: ModelOptions): void {
  if (embed) checkModel('embed', embed.model, embed.embed)
  if (embed) checkLanguages(embed.languages)
  if (embed) checkPassageUnits(embed.passageUnits)
  if (rerank) checkModel('rerank', rerank.model, rerank.rerank)
  if (!Number.isInteger(vectorBytes) || vectorBytes < 0 || vectorBytes > MAX_VECTOR_BYTES)
    throw invalidOption('vectorBytes', `must be a whole number of bytes from 0 to ${MAX_VECTOR_BYTES}`)
}

/** @param method - the method of the model that the engine will call. */
function checkModel(option: 'embed' | 'rerank', model: unknown, method: unknown): void {
  if (typeof model !== 'string' || model === '' || model.length > 200)
    throw invalidOption(option, 'must name its model: model is a string of 1 to 200 characters')
  if (typeof method !== 'function') throw invalidOption(option, `must have a function ${option}`)
}

function checkPassageUnits(units: unknown): void {
  if (units === undefined) return
  if (typeof units !== 'number' || !Number.isInteger(units) || units < 1 || units > MAX_PASSAGE_UNITS)
    throw invalidOption('embed', `must have passageUnits from 1 to ${MAX_PASSAGE_UNITS}, or leave it out`)
}

function checkLanguages(languages: unknown): void {
  if (languages === undefined) return
  const isList = Array.isArray(languages) && languages.length >= 1 && languages.length <= MAX_MODEL_LANGUAGES
  if (!isList || !languages.every(tag => typeof tag === 'string' && languageOfTag(tag) !== ''))
    throw invalidOption(
      'embed',
      `must name the languages of its model as 1 to ${MAX_MODEL_LANGUAGES} language tags, such as ['en', 'de'], or leave out languages if it knows all`,
    )
}
