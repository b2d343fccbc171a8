import { type Engine, optionsReader, type Page } from '@asof/core'
import type { WARCRecord } from 'warcio'
import { storedCaptures } from './stored-captures.ts'
import { loadWarcio, type Warcio } from './warc-package.ts'
import { declarePage } from './warc-page.ts'

/** Options of an export to WARC. */
export interface WarcExportOptions {
  /** Whether each record is gzipped, as in a `.warc.gz` file. Default false. */
  gzip?: boolean
  /** Ends the export between two records. */
  signal?: AbortSignal
}

const readOptions = optionsReader<WarcExportOptions>({ gzip: 'boolean', signal: 'signal' })

const warcVersion = 'WARC/1.1'

/**
 * Exports every version of every page as a WARC file (ISO 28500), which `importWarc` reads: URL by URL, the versions of
 * each oldest first. A version is a resource record with the content as Markdown; its `WARC-Date` is the instant of the
 * capture, or of the change of its metadata; `WARC-JSON-Metadata` holds the metadata. Memory does not grow with the index.
 *
 * @throws ASOF_PACKAGE_MISSING - warcio is not installed.
 */
export async function* exportWarc(
  engine: Pick<Engine, 'history'>,
  options?: WarcExportOptions,
): AsyncGenerator<Uint8Array> {
  const { gzip = false, signal } = readOptions(options)
  const warcio = await loadWarcio()
  yield await warcio.WARCSerializer.serialize(
    warcio.WARCRecord.createWARCInfo({ warcVersion }, { software: 'asof', format: 'WARC File Format 1.1' }),
    { gzip },
  )
  for await (const capture of storedCaptures(engine, signal))
    yield await warcio.WARCSerializer.serialize(recordOf(warcio, capture), { gzip })
}

function recordOf({ WARCRecord }: Warcio, capture: Page): WARCRecord {
  const { url, acquiredAt, revisedAt = acquiredAt, markdown } = capture
  return WARCRecord.create(
    {
      type: 'resource',
      url,
      date: new Date(revisedAt).toISOString(),
      warcVersion,
      warcHeaders: { 'Content-Type': 'text/markdown; charset=utf-8', ...declarePage(capture) },
    },
    [Buffer.from(markdown)],
  )
}
