import type { Engine, ObservationInput } from '@asof/core'

/**
 * Yields every observation of every page, URL by URL, oldest first. Keeps one result of `Engine.export` in memory at a
 * time.
 */
export async function* listObservations(
  engine: Pick<Engine, 'export'>,
  signal?: AbortSignal,
): AsyncGenerator<ObservationInput> {
  let after: string | undefined
  do {
    const part = await engine.export({ after })
    for (const observation of part.observations) {
      if (signal?.aborted) return
      yield observation
    }
    after = part.next
  } while (after !== undefined)
}
