import type { Engine, Observation } from '@asof/core'

/** Yields every observation of every page, URL by URL, oldest first, until the signal aborts. */
export async function* listObservations(
  engine: Pick<Engine, 'exportAll'>,
  signal?: AbortSignal,
): AsyncGenerator<Observation> {
  for await (const observation of engine.exportAll()) {
    if (signal?.aborted) return
    yield observation
  }
}
