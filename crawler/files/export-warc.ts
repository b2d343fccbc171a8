import { type Engine, optionsReader, type Page } from '@asof/core'
import { WARCRecord, WARCSerializer } from 'warcio'
import { storedCaptures } from './stored-captures.ts'
import { declarePage } from './warc-page.ts'

export interface WarcExportOptions {
  /** Whether each record is gzipped, as those of a `.warc.gz` are. Default false. */
  gzip?: boolean
  /** Ends it between two records. */
  signal?: AbortSignal
}

const readOptions = optionsReader<WarcExportOptions>({ gzip: 'boolean', signal: 'signal' })

const warcVersion = 'WARC/1.1'

/**
 * Every version of every page as a WARC file (ISO 28500), which `importWarc` reads: for each a resource record, its
 * content as Markdown, its `WARC-Date` the instant of the capture or of the change of its metadata, what else is known of it in `WARC-JSON-Metadata`.
 * URL by URL, those of each oldest first; memory does not grow with the index.
 */
export async function* exportWarc(
  engine: Pick<Engine, 'history'>,
  options?: WarcExportOptions,
): AsyncGenerator<Uint8Array> {
  const { gzip = false, signal } = readOptions(options)
  yield await WARCSerializer.serialize(
    WARCRecord.createWARCInfo({ warcVersion }, { software: 'asof', format: 'WARC File Format 1.1' }),
    { gzip },
  )
  for await (const capture of storedCaptures(engine, signal))
    yield await WARCSerializer.serialize(recordOf(capture), { gzip })
}

function recordOf(capture: Page): WARCRecord {
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
