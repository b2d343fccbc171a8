import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { CrawlError } from '../errors.ts'
import { readResponseBody } from '../fetch/body.ts'
import type { HttpHead } from './http-head.ts'
import type { RecordBlock } from './warc-record.ts'

/**
 * Reads the body of an archived response. Many archives keep the headers of the transfer although they store the decoded body, so
 * `Transfer-Encoding` and `Content-Encoding` count only if the bytes agree with them.
 *
 * @param maxBytes - maximum size as stored and, separately, as decoded.
 * @throws ASOF_FETCH_TOO_LARGE
 * @throws ASOF_FETCH_UNREACHABLE - the body can be read neither as encoded nor as it is.
 */
export async function readArchivedBody(
  block: RecordBlock,
  head: HttpHead | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  const stored = await gather(block, maxBytes)
  const isChunked = /(?:^|,)\s*chunked\s*$/i.test(head?.fields.get('transfer-encoding') ?? '')
  const body = isChunked ? joinChunks(stored) : stored
  const encoding = encodingOf(body, head?.fields.get('content-encoding'))
  if (body.length === 0 || encoding === undefined) return body
  return await readResponseBody(Readable.from([body]), encoding, { maxBytes })
}

async function gather(block: RecordBlock, maxBytes: number): Promise<Buffer> {
  if (block.left > maxBytes)
    throw new CrawlError('ASOF_FETCH_TOO_LARGE', `body exceeds the size limit (${maxBytes} bytes)`)
  const chunks: Uint8Array[] = []
  for await (const chunk of block.chunks()) chunks.push(chunk)
  const { excess } = await block.end()
  const body = Buffer.concat(chunks)
  return body.subarray(0, body.length - excess)
}

/** The longest line before a chunk. Extensions of a chunk are hardly ever used. */
const MAX_CHUNK_LINE = 1000

/** Joins the chunks of a body (RFC 9112, 7.1). What does not follow that form is kept as it is. */
function joinChunks(stored: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < stored.length; ) {
    const line = stored.subarray(at, at + MAX_CHUNK_LINE).toString('latin1')
    const [opening = '', digits] = /^([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n/i.exec(line) ?? []
    const from = at + opening.length
    const end = from + Number.parseInt(digits ?? '', 16)
    if (end === from) break
    const [lineEnd = ''] = /^\r?\n/.exec(stored.subarray(end, end + 2).toString('latin1')) ?? []
    if (digits === undefined || (lineEnd === '' && end < stored.length)) {
      parts.push(stored.subarray(at))
      break
    }
    parts.push(stored.subarray(from, end))
    at = end + lineEnd.length
  }
  return Buffer.concat(parts)
}

/** The first bytes of gzip (RFC 1952), of Zstandard (RFC 8878), and of documents, which are never encoded twice. */
const GZIP = Buffer.of(0x1f, 0x8b)
const ZSTD = Buffer.of(0x28, 0xb5, 0x2f, 0xfd)
const PDF = Buffer.from('%PDF-')
const magics = new Map([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['zstd', ZSTD],
])

/** Returns the encoding that a body has: the declared one, unless the bytes show that it was decoded. Undefined if it has none. */
function encodingOf(body: Buffer, declared: string | undefined): string | undefined {
  // Some software removes the header, and not the encoding.
  if (declared === undefined) return startsWith(body, GZIP) ? 'gzip' : undefined
  const outermost = declared
    .slice(declared.lastIndexOf(',') + 1)
    .trim()
    .toLowerCase()
  const magic = magics.get(outermost)
  const isDecoded = magic ? !startsWith(body, magic) : isPlain(body)
  return isDecoded ? undefined : declared
}

function startsWith(body: Buffer, start: Buffer): boolean {
  return body.subarray(0, start.length).equals(start)
}

const SAMPLE_BYTES = 1024
/** Compressed data of this size has control characters, with hardly an exception. */
const ENOUGH_BYTES = 256

/** True if a body is text or a PDF: brotli and deflate do not begin with bytes of their own. */
function isPlain(body: Buffer): boolean {
  if (startsWith(body, PDF)) return true
  const sample = body.subarray(0, SAMPLE_BYTES)
  if (sample.some(byte => byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 0x1b))
    return false
  return isUtf8(sample) || sample.length >= ENOUGH_BYTES
}
