import type { Engine } from '@asof/core'
import { jsonLine } from './json-line.ts'
import { listObservations } from './list-observations.ts'

/**
 * Exports the observations of every page as JSON Lines for `importJsonl`, URL by URL, oldest first. A capture or
 * revision is a line with the text and its `acquired_at`. Its field `asof` has the language, site name, kind,
 * structured data, and where the publish date was found. Removals, sightings and aliases are short lines.
 *
 * @param signal - ends the export between two lines.
 * @throws ASOF_STORE_CORRUPT | ASOF_STORE_READ | ASOF_CLOSED - from the engine.
 */
export async function* exportJsonl(engine: Pick<Engine, 'exportAll'>, signal?: AbortSignal): AsyncGenerator<string> {
  for await (const observation of listObservations(engine, signal)) yield `${jsonLine(observation)}\n`
}
