import type { Engine, Page } from '@asof/core'

/** Every capture of an index, URL by URL, those of each oldest first; a part of them in memory at a time. */
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
