import { Readable } from 'node:stream'
import zlib from 'node:zlib'
import { AsofError, type CaptureInput, type Engine, isAsofError, type ObservationInput } from '@asof/core'
import { optionsReader } from '@asof/core/options'
import type { LimitReader, WARCRecord } from 'warcio'
import { readBody } from '../fetch/body.ts'
import { isReadableType } from '../fetch/readable-type.ts'
import { ImportBuffer, type ImportOptions, type ImportReport, importOptionKinds } from './import-report.ts'
import { dateOf, isPlainRecord, plainObservation } from './warc-observation.ts'
import { loadWarcio, type Warcio } from './warc-package.ts'
import { readDeclaredPage } from './warc-page.ts'

/** Options of the import of WARC and WACZ files. */
export interface WarcImportOptions extends ImportOptions {
  /** Maximum size of a page as stored in the file and, separately, as decoded, bytes. Default 20 MiB. */
  maxBytes?: number
}

/** Checks the names and types of the options. */
export const readWarcOptions = optionsReader<WarcImportOptions>({ ...importOptionKinds, maxBytes: 'number' })

/** Maximum size of a record's headers, including its HTTP headers, bytes. */
const maxHeaderBytes = 1024 * 1024

/**
 * Imports the pages of a WARC file (ISO 28500), gzipped or not. An HTTP response with a 2xx status, or a resource,
 * becomes a capture if its type is readable. Its `WARC-Date` is the acquisition. A revisit of a page becomes a
 * sighting. The metadata records of an export become removals and aliases. Other records are skipped. A page that
 * cannot be imported is reported with its record number, and the import continues. Memory does not grow with the file.
 *
 * @throws ASOF_INVALID_CAPTURE - a part of the file is not valid WARC. Pages before that part are kept.
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
 * @throws ASOF_PACKAGE_MISSING - warcio is not installed.
 * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine. Pages that were committed before are kept.
 */
export async function importWarc(
  engine: Engine,
  source: AsyncIterable<Uint8Array>,
  given?: WarcImportOptions,
): Promise<ImportReport> {
  const options = readWarcOptions(given)
  const maxBytes = options.maxBytes ?? 20 * 1024 * 1024
  const warcio = await loadWarcio()
  const buffer = new ImportBuffer(engine, options)
  const { report } = buffer
  for await (const { record, number } of recordsOf(warcio, source)) {
    if (options.signal?.aborted) break
    const url = targetOf(record)
    if (url === undefined || !isRead(record, url)) continue
    if (buffer.skipNext()) continue
    report.read++
    const where = `record ${number}`
    try {
      const { capture, size } = await observationOf(warcio, record, url, maxBytes)
      if (await endsEarly(record)) throw new AsofError('ASOF_INVALID_CAPTURE', 'the file ends inside this record')
      await buffer.add(capture, where, size)
    } catch (error) {
      if (!isAsofError(error) || error.code.startsWith('ASOF_STORE_') || error.code === 'ASOF_CLOSED') throw error
      buffer.fail(where, error, url)
    }
  }
  await buffer.flush()
  return report
}

async function* recordsOf(
  { WARCParser }: Warcio,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ record: WARCRecord; number: number }> {
  const meter = new HeaderMeter()
  const parser = new WARCParser(meter.metered(await unzip(source)))
  for (let number = 1; ; number++) {
    let record: WARCRecord | null
    try {
      meter.start()
      record = await parser.parse()
    } catch (cause) {
      if (isAsofError(cause)) throw cause
      throw new AsofError('ASOF_INVALID_CAPTURE', `record ${number} cannot be read: it is not a WARC record`, { cause })
    }
    if (!record) return
    if (!record.warcHeaders.statusline.startsWith('WARC/'))
      throw new AsofError('ASOF_INVALID_CAPTURE', `record ${number} is not a WARC record: it does not start with WARC/`)
    // Without the length of this record, the next one cannot be found.
    if (!/^\d+$/.test(record.warcHeader('Content-Length')?.trim() ?? ''))
      throw new AsofError('ASOF_INVALID_CAPTURE', `record ${number}: Content-Length must be a whole number of bytes`)
    meter.stop()
    yield { record, number }
    await endsEarly(record)
  }
}

/**
 * Reads the rest of a record, so that the next one is read from its start. Returns true if the file ends inside the
 * record, for which the library's own `skipFully` would never return.
 */
async function endsEarly(record: WARCRecord): Promise<boolean> {
  const rest = record.reader as LimitReader
  if (!record.consumed) for await (const _ of rest);
  record.consumed = 'skipped'
  return rest.limit > 0
}

/** Decompresses a gzipped file. Records may be compressed separately, as is usual for WARC, or all together. */
async function unzip(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const chunks = source[Symbol.asyncIterator]()
  const { value: first, done } = await chunks.next()
  const whole = Readable.from(
    (async function* () {
      if (done || !first) return
      yield first
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    })(),
    { objectMode: false },
  )
  if (done || first?.[0] !== 0x1f || first[1] !== 0x8b) return whole
  const gunzip = zlib.createGunzip()
  whole.on('error', error => gunzip.destroy(error))
  return whole.pipe(gunzip)
}

/** Limits the size of headers, which the parser would otherwise keep in memory at any length. */
class HeaderMeter {
  #left = Number.POSITIVE_INFINITY

  start(): void {
    this.#left = maxHeaderBytes
  }

  stop(): void {
    this.#left = Number.POSITIVE_INFINITY
  }

  /** Passes bytes on. Fails if too many pass between {@link start} and {@link stop}. */
  async *metered(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      this.#left -= chunk.length
      if (this.#left < 0)
        throw new AsofError('ASOF_INVALID_CAPTURE', `the headers of a record exceed ${maxHeaderBytes} bytes`)
      yield chunk
    }
  }
}

/** Returns the URL of a record; undefined if it cannot be the URL of a page. */
function targetOf(record: WARCRecord): string | undefined {
  const url = record.warcTargetURI?.replace(/^<(.*)>$/, '$1')
  return url && /^https?:/i.test(url) ? url : undefined
}

/** True if a record is imported: it is a page with a readable type, or an observation without content. */
function isRead(record: WARCRecord, url: string): boolean {
  const { warcType, httpHeaders } = record
  if (warcType === 'resource') return isReadableType(record.warcContentType ?? '')
  if (warcType !== 'response' || !httpHeaders) return isPlainRecord(record, url)
  const status = Number(httpHeaders.statusCode)
  const type = httpHeaders.headers.get('content-type')
  return status >= 200 && status < 300 && (type === null || type === undefined || isReadableType(type))
}

async function observationOf(
  warcio: Warcio,
  record: WARCRecord,
  url: string,
  maxBytes: number,
): Promise<{ capture: ObservationInput; size: number }> {
  if (record.warcType === 'revisit' || record.warcType === 'metadata')
    return { capture: plainObservation(record, url), size: 0 }
  return captureOf(warcio, record, url, maxBytes)
}

async function captureOf({ AsyncIterReader }: Warcio, record: WARCRecord, url: string, maxBytes: number) {
  const headers = record.httpHeaders?.headers
  const chunked = /(?:^|,)\s*chunked\s*$/i.test(headers?.get('transfer-encoding') ?? '')
  const raw = new AsyncIterReader(record.reader as AsyncIterable<Uint8Array>, null, chunked)
  const body = await readBody(
    Readable.from(raw, { objectMode: false }),
    headers?.get('content-encoding') ?? undefined,
    {
      maxBytes,
    },
  )
  const contentType = headers ? headers.get('content-type') : record.warcContentType
  const declared = readDeclaredPage(record)
  const capture: CaptureInput = {
    url,
    ...(declared ? { ...declared, markdown: body } : { html: body }),
    contentType: contentType || undefined,
    acquiredAt: record.warcDate ? dateOf(record.warcDate) : undefined,
  }
  return { capture, size: body.length }
}
