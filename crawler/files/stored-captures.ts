import type { Engine, Page } from '@asof/core'

/**
 * Yields every version of every page, URL by URL, the versions of each oldest first. Only one part of the engine's history
 * (a result of `Engine.history`) is in memory at a time.
 */
export async function* storedCaptures(engine: Pick<Engine, 'history'>, signal?: AbortSignal): AsyncGenerator<Page> {
  let after: string | undefined
  do {
    const part = await engine.history(after === undefined ? {} : { after })
    for (const capture of part.captures) {
      if (signal?.aborted) return
      yield capture
    }
    after = part.next
  } while (after !== undefined)
}
