import type { Engine } from '@asof/core'

/** Time after which an index that had a page or a field is read again, ms. */
const KEPT_MS = 10_000

/** Returns a function that says whether an index has any page, of now or of the past. */
export function pagePresence(engine: Pick<Engine, 'stats'>): () => Promise<boolean> {
  return remembering(async () => (await engine.stats()).captures > 0)
}

/** Returns a function that says whether a page of now has a field. */
export function fieldPresence(engine: Pick<Engine, 'fields'>): () => Promise<boolean> {
  return remembering(async () => (await engine.fields({ maxExamples: 0 })).length > 0)
}

/** Returns a function that answers like `read`, but remembers the answer true for {@link KEPT_MS}. */
function remembering(read: () => Promise<boolean>): () => Promise<boolean> {
  let knownUntilMs = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() < knownUntilMs) return true
    const isPresent = await read()
    if (isPresent) knownUntilMs = performance.now() + KEPT_MS
    return isPresent
  }
}
