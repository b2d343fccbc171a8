import { AsofError, messageOf } from '@asof/extract/errors'
import { BUNDLER_HINT } from '@asof/extract/processes'

/**
 * Loads a part of the engine at its first use.
 *
 * @throws ASOF_WORKER_FAILED - the part cannot be loaded, because a bundler left out a file, or because there is no LevelDB for
 *   this system.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    const [reason] = messageOf(cause).split('\n', 1)
    throw new AsofError('ASOF_WORKER_FAILED', `asof can't load its engine: ${reason}. ${BUNDLER_HINT}`, { cause })
  }
}
