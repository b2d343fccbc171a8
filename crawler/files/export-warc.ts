import type { CaptureInput, Engine } from '@asof/core'
import { optionsReader } from '@asof/extract/errors'
import type { WARCRecord } from 'warcio'
import { listObservations } from './list-observations.ts'
import { dateText, plainRecord, WARC_VERSION } from './warc-observation.ts'
import { loadWarcio, type Warcio } from './warc-package.ts'
import { declarePage } from './warc-page.ts'

/** Options of an export to WARC. */
export interface WarcExportOptions {
  /** True to gzip each record, as in a `.warc.gz` file. Default false. */
  gzip?: boolean
  /** Ends the export between two records. */
  signal?: AbortSignal
}

const readOptions = optionsReader<WarcExportOptions>({ gzip: 'boolean', signal: 'signal' })

/**
 * Exports the observations of every page as a WARC file (ISO 28500) for `importWarc`, URL by URL, oldest first. A
 * capture or revision is a resource record: its content is Markdown, its `WARC-Date` is the instant, and
 * `WARC-JSON-Metadata` has the metadata. A sighting is a revisit record. Removals and aliases are metadata records.
 * Memory does not grow with the index.
 *
 * @throws ASOF_PACKAGE_MISSING - warcio is not installed.
 * @throws ASOF_STORE_CORRUPT | ASOF_STORE_READ | ASOF_CLOSED - from the engine.
 */
export async function* exportWarc(
  engine: Pick<Engine, 'exportAll'>,
  options?: WarcExportOptions,
): AsyncGenerator<Uint8Array> {
  const { gzip = false, signal } = readOptions(options)
  const warcio = await loadWarcio()
  const serialize = (record: WARCRecord) => warcio.WARCSerializer.serialize(record, { gzip })
  yield await serialize(
    warcio.WARCRecord.createWARCInfo(
      { warcVersion: WARC_VERSION },
      { software: 'asof', format: 'WARC File Format 1.1' },
    ),
  )
  // The digest of the last record with content. The sightings after it refer to that record.
  let payloadDigest: string | undefined
  for await (const observation of listObservations(engine, signal)) {
    if ('removedAt' in observation || 'seenAt' in observation || 'aliasedAt' in observation) {
      yield await serialize(plainRecord(warcio, observation, payloadDigest))
      continue
    }
    const record = contentRecord(warcio, observation)
    yield await serialize(record)
    payloadDigest = record.warcPayloadDigest ?? undefined
  }
}

function contentRecord({ WARCRecord }: Warcio, capture: CaptureInput): WARCRecord {
  const { url, acquiredAt = 0, markdown = '' } = capture
  return WARCRecord.create(
    {
      type: 'resource',
      url,
      date: dateText(acquiredAt),
      warcVersion: WARC_VERSION,
      warcHeaders: { 'Content-Type': 'text/markdown; charset=utf-8', ...declarePage(capture) },
    },
    [Buffer.from(markdown as string)],
  )
}
