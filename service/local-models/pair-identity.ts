import { createHash } from 'node:crypto'
import { AsofError } from '@asof/extract/errors'
import { constantsHash, pairedModels } from './pair-identity.generated.ts'

/** The name of the pair of two known models, which make one vector of a text together. */
export const PAIR = 'minilm+bge-small'
/** The names that its models were added under. */
export const partsOfPair = ['minilm', 'bge-small'] as const
/** Both models know English, and the constants were computed from English texts. */
export const PAIR_LANGUAGES: readonly string[] = ['en']

/** The number of the rule by which two vectors become one. A change of any bit of a vector needs another number. */
const PAIR_VERSION = 1

/** Returns what identifies the vectors of the pair: its name, and SHA-256 of everything that they depend on. */
export function pairModel(): string {
  const rule = JSON.stringify({ PAIR_VERSION, pairedModels, constantsHash })
  return `${PAIR}@${createHash('sha256').update(rule).digest('hex')}`
}

/**
 * Checks that models are those that the constants of the pair were computed for.
 *
 * @param models - what identifies their vectors.
 * @throws ASOF_MODEL_INVALID
 */
export function expectPartsOfPair(models: readonly [first: string, second: string]): void {
  for (const [i, name] of partsOfPair.entries())
    if (models[i] !== pairedModels[i])
      throw new AsofError(
        'ASOF_MODEL_INVALID',
        `${PAIR} needs the published model ${name}, but another one has this name: it is ${models[i]}, and not ${pairedModels[i]}. Delete its folder, and add the jar of docs/models.md without options`,
      )
}
