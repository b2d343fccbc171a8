import type { Engine } from '@asof/core'

/** How long an index that has pages is taken to have some, ms. */
const KEPT_MS = 10_000

/** Returns a function that says whether an index has any page, of now or of the past. Reads the index at most once in {@link KEPT_MS} while it has some. */
export function pagePresence(engine: Pick<Engine, 'stats'>): () => Promise<boolean> {
  let knownUntilMs = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() < knownUntilMs) return true
    const { captures } = await engine.stats()
    if (captures > 0) knownUntilMs = performance.now() + KEPT_MS
    return captures > 0
  }
}
