import { AsofError } from '../errors.ts'
import { messageOf } from '../thrown.ts'

/**
 * The advice for programs that a bundler made. Threads and processes of asof run files of their own, and LevelDB is a native
 * library, so neither can be in a bundle.
 */
export const BUNDLER_HINT =
  "If a bundler made this program, keep asof and @asof/core out of the bundle, as external packages (esbuild: packages: 'external'; others: docs/embedding.md)"

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
