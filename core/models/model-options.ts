import { invalidOption } from '@asof/extract/errors'
import { languageOfTag } from '../text/languages/language-detection.ts'
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
}

const MAX_MODEL_LANGUAGES = 200
/** No more than what is read of a page at once. */
const MAX_PASSAGE_UNITS = 65_536

/**
 * Checks the models before anything is created.
 *
 * @throws ASOF_INVALID_OPTION - a model has no name or no function, or its languages are no language tags.
 */
export function checkModels({ embed, rerank }: ModelOptions): void {
  if (embed) checkModel('embed', embed.model, embed.embed)
  if (embed) checkLanguages(embed.languages)
  if (embed) checkPassageUnits(embed.passageUnits)
  if (rerank) checkModel('rerank', rerank.model, rerank.rerank)
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
