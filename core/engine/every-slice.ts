import type { HistoryOptions, PageVersion } from '../history/page-version.ts'
import type { Observation } from '../page.ts'
import type { Reads } from './engine.ts'
import { readVersionsOptions } from './engine-options.ts'

/** Implements `Reads.versions` by `Reads.history`. */
export async function* everyVersion(
  engine: Pick<Reads, 'history'>,
  url: string,
  options?: Pick<HistoryOptions, 'queryTime'>,
): AsyncGenerator<PageVersion> {
  const { queryTime } = readVersionsOptions(options)
  let cursor: string | undefined
  do {
    const { versions, next } = await engine.history(url, { queryTime, cursor })
    yield* versions
    cursor = next
  } while (cursor !== undefined)
}

/** Implements `Reads.exportAll` by `Reads.export`. */
export async function* everyObservation(engine: Pick<Reads, 'export'>): AsyncGenerator<Observation> {
  let cursor: string | undefined
  do {
    const { observations, next } = await engine.export({ cursor })
    yield* observations
    cursor = next
  } while (cursor !== undefined)
}
