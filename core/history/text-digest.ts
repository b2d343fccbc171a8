import { hash } from 'node:crypto'
import { ByteWriter } from '../bytes/byte-buffer.ts'

/** Memory that a huge page needed is not kept from this size on. */
const MAX_KEPT_BYTES = 1 << 20
const LINE_FEED = 10
const SPACE = 32

let bytes = new ByteWriter(64 * 1024)

/**
 * Returns the first digits of the SHA-256 of texts, in hex. The texts are hashed one after another, in UTF-8. Their bytes are
 * written to memory that is used again, because joining texts to a string and encoding it takes longer than hashing.
 *
 * @param isOneLine - true if line feeds count as spaces.
 */
export function textDigest(texts: readonly string[], digits: number, isOneLine = false): string {
  if (bytes.bytes.length > MAX_KEPT_BYTES) bytes = new ByteWriter(64 * 1024)
  bytes.clear()
  for (const text of texts) bytes.utf8(text)
  const written = bytes.bytes.subarray(0, bytes.length)
  if (isOneLine)
    for (let at = written.indexOf(LINE_FEED); at >= 0; at = written.indexOf(LINE_FEED, at + 1)) written[at] = SPACE
  return hash('sha256', written, 'hex').slice(0, digits)
}
