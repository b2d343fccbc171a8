import { type CaptureInput, extract, isAsofError, type ObservationInput } from '@asof/core'
import { optionsReader } from '@asof/extract/errors'
import { isReadableBody, isReadableType, mayBeReadable } from '../fetch/readable-type.ts'
import { contentOf } from '../visit/page-content.ts'
import { type HttpHead, readHttpHead } from './http-head.ts'
import {
  ImportBuffer,
  type ImportOptions,
  type ImportReport,
  type ImportTarget,
  importOptionKinds,
} from './import-report.ts'
import { badRecord } from './imported-record.ts'
import { readArchivedBody } from './warc-body.ts'
import { dateOf, isRevisit, isSameUrl, plainObservation, referenceOf } from './warc-observation.ts'
import { hasMetadata, readDeclaredPage } from './warc-page.ts'
import type { WarcRecord } from './warc-record.ts'
import { warcRecords } from './warc-records.ts'
import { Originals, Revisits } from './warc-revisits.ts'

/** Options of the import of WARC and WACZ files. */
export interface WarcImportOptions extends ImportOptions {
  /** Maximum size of a page as stored in the file and, separately, as decoded, bytes. Default 20 MiB. */
  maxBytes?: number
}

/** Checks the names and types of the options. */
export const readWarcOptions = optionsReader<WarcImportOptions>({ ...importOptionKinds, maxBytes: 'number' })

/**
 * Imports the pages of a WARC file (ISO 28500), also compressed by gzip or Zstandard. An HTTP response with a 2xx status, a resource, or
 * a conversion of a record that is not in the file becomes a capture if its type is readable. Its `WARC-Date` is the acquisition. A revisit
 * of a page becomes a sighting, and one that refers to another URL becomes a capture with the content of that URL. A
 * revisit whose content is in neither the file nor the index is counted. The metadata records
 * of an export become removals and aliases. Other records are skipped. A page that cannot be imported is reported with its record number,
 * as is a part of the file that is not WARC, and the import continues. Memory does not grow with the file.
 *
 * @throws ASOF_INVALID_CAPTURE - the file is not WARC.
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
 * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine. Pages that were committed before are kept.
 */
export async function importWarc(
  engine: ImportTarget,
  source: AsyncIterable<Uint8Array>,
  given?: WarcImportOptions,
): Promise<ImportReport> {
  const options = readWarcOptions(given)
  const buffer = new ImportBuffer(engine, options)
  const records = new RecordImport(engine, buffer, options.maxBytes ?? 20 * 1024 * 1024)
  for await (const record of warcRecords(source, (where, error) => buffer.fail(where, error))) {
    if (options.signal?.aborted) break
    await records.read(record)
  }
  if (!options.signal?.aborted) await records.end()
  await buffer.flush()
  return buffer.report
}

/** Imports record after record. */
class RecordImport {
  readonly #buffer: ImportBuffer
  readonly #maxBytes: number
  readonly #originals = new Originals()
  readonly #revisits: Revisits

  constructor(engine: ImportTarget, buffer: ImportBuffer, maxBytes: number) {
    this.#buffer = buffer
    this.#maxBytes = maxBytes
    this.#revisits = new Revisits(engine, buffer, this.#originals)
  }

  /** Imports a record. A failure is reported. */
  async read(record: WarcRecord): Promise<void> {
    const url = record.target
    if (url === undefined || !/^https?:/i.test(url)) return
    try {
      if (hasMetadata(record) && record.type !== 'resource') await this.#add(record, url, () => plainOf(record, url))
      else if (isRevisit(record)) await this.#readRevisit(record, url)
      // A revisit of an unknown profile does not say what its content is.
      else if (record.type === 'revisit') this.#buffer.noteUnresolved(url)
      else if (/^(?:response|resource|conversion)$/.test(record.type)) await this.#readContent(record, url)
    } catch (error) {
      if (isFatal(error)) throw error
      await this.#add(record, url, () => Promise.reject(error))
    }
  }

  /** Imports what had to wait for other records. */
  async end(): Promise<void> {
    await this.#revisits.complete()
  }

  async #readContent(record: WarcRecord, url: string): Promise<void> {
    if (record.type === 'conversion' && this.#originals.hasSource(record)) return
    const content = await contentOfRecord(record)
    if (!isRead(content)) return
    if (await this.#add(record, url, () => captureOf(record, url, content, this.#maxBytes)))
      this.#originals.add(record, url)
  }

  async #readRevisit(record: WarcRecord, url: string): Promise<void> {
    const content = await contentOfRecord(record)
    if (content.type !== undefined && !isReadableType(content.type)) return
    const isPage = content.type !== undefined
    const reference = referenceOf(record)
    const isOfSame = reference === undefined || (reference.url !== undefined && isSameUrl(reference.url, url))
    if (isOfSame && isPage) {
      if (await this.#add(record, url, () => plainOf(record, url))) await this.#revisits.noteSighting(url)
    } else {
      await expectWhole(record)
      await this.#revisits.add(record, { url, isPage })
    }
  }

  /** Counts a record and adds its observation. Returns false if that failed. */
  async #add(record: WarcRecord, url: string, read: () => Promise<Sized | undefined>): Promise<boolean> {
    const buffer = this.#buffer
    if (buffer.skipNext()) return true
    buffer.report.read++
    const where = `record ${record.number}`
    try {
      const found = await read()
      if (found === undefined) {
        // The record is skipped, as those of other types are.
        buffer.report.read--
        return false
      }
      const { observation, size } = found
      await expectWhole(record)
      await buffer.add(observation, where, size)
      return true
    } catch (error) {
      if (isFatal(error)) throw error
      buffer.fail(where, error, url)
      return false
    }
  }
}

/** @throws ASOF_INVALID_CAPTURE */
async function expectWhole({ block }: WarcRecord): Promise<void> {
  const { isWhole } = await block.end()
  if (!isWhole) throw badRecord('the file ends inside this record')
}

function isFatal(error: unknown): boolean {
  return !isAsofError(error) || error.code.startsWith('ASOF_STORE_') || error.code === 'ASOF_CLOSED'
}

/** An observation, and about how many bytes it has. */
interface Sized {
  observation: ObservationInput
  size: number
}

async function plainOf(record: WarcRecord, url: string): Promise<Sized> {
  return { observation: plainObservation(record, url), size: 0 }
}

/** The format of the content of a record. */
interface Content {
  head: HttpHead | undefined
  /** The media type. Undefined if none is declared. The content shows it then. */
  type: string | undefined
}

/** Reads the record up to its body. Old software writes responses without their HTTP headers, and some writes resources with them. */
async function contentOfRecord({ type, fields, block }: WarcRecord): Promise<Content> {
  const declared = mediaType(fields.get('Content-Type'))
  const isHttp = declared !== undefined && /^application\/http\b/i.test(declared)
  const head = isHttp || type === 'response' || type === 'revisit' ? await readHttpHead(block) : undefined
  return { head, type: head ? mediaType(head.fields.get('content-type')) : isHttp ? undefined : declared }
}

function mediaType(declared: string | undefined): string | undefined {
  return declared?.includes('/') ? declared : undefined
}

/** True if the content can be a page. */
function isRead({ head, type }: Content): boolean {
  return (head === undefined || (head.status >= 200 && head.status < 300)) && mayBeReadable(type)
}

async function captureOf(
  record: WarcRecord,
  url: string,
  { head, type }: Content,
  maxBytes: number,
): Promise<{ observation: CaptureInput; size: number } | undefined> {
  const body = await readArchivedBody(record.block, head, maxBytes)
  const date = record.fields.get('WARC-Date')
  const acquiredAt = date === undefined ? undefined : dateOf(date)
  const declared = readDeclaredPage(record)
  const size = body.length
  if (declared) return { observation: { url, ...declared, markdown: body, contentType: type, acquiredAt }, size }
  if (size === 0) throw badRecord('the response has no body')
  if (!isReadableBody(body.subarray(0, SNIFFED_BYTES), type, url)) return undefined
  if (isDocument(body)) {
    const page = await extract(body, { url, latestAt: acquiredAt })
    return { observation: { url, ...contentOf(page), acquiredAt }, size }
  }
  return { observation: { url, html: body, contentType: type, acquiredAt }, size }
}

/** Number of bytes from which the type of a body is recognized (WHATWG MIME Sniffing, 5.2). */
const SNIFFED_BYTES = 1445

/** True for a PDF, and for a ZIP archive, which EPUB and Office documents are. */
function isDocument(body: Uint8Array): boolean {
  const start = Buffer.from(body.subarray(0, 5)).toString('latin1')
  return start === '%PDF-' || start.startsWith('PK\u0003\u0004')
}
