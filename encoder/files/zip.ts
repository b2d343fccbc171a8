import { inflateRawSync } from 'node:zlib'
import { invalidModel } from './invalid-model.ts'

/** Largest file in an archive once it is unpacked, bytes. Those of known models have up to 35 MB; a bomb must not take gigabytes. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024
/** The bytes after the end record: a comment of the archive. */
const MAX_COMMENT_BYTES = 65_535
const END_BYTES = 22
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const STORED = 0
const DEFLATED = 8

/** A file in an archive. */
export interface ZipEntry {
  readonly name: string
  read(): Uint8Array
}

/**
 * Lists the files of a zip archive, such as a jar, by its central directory.
 *
 * @throws ASOF_MODEL_INVALID - it is damaged. `read` throws it too.
 */
export function zipEntries(archive: Buffer): ZipEntry[] {
  const end = endOf(archive)
  const entries: ZipEntry[] = []
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (at + ENTRY_BYTES > archive.length || archive.readUInt32LE(at) !== 0x02014b50) throw damaged()
    const method = archive.readUInt16LE(at + 10)
    const packedBytes = archive.readUInt32LE(at + 20)
    const bytes = archive.readUInt32LE(at + 24)
    const nameBytes = archive.readUInt16LE(at + 28)
    const local = archive.readUInt32LE(at + 42)
    const name = archive.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes)
    if (!name.endsWith('/'))
      entries.push({ name, read: () => unpacked(archive, local, { method, packedBytes, bytes }) })
    at += ENTRY_BYTES + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return entries
}

function endOf(archive: Buffer): number {
  const least = Math.max(0, archive.length - END_BYTES - MAX_COMMENT_BYTES)
  for (let at = archive.length - END_BYTES; at >= least; at--) if (archive.readUInt32LE(at) === 0x06054b50) return at
  throw damaged()
}

function unpacked(
  archive: Buffer,
  local: number,
  { method, packedBytes, bytes }: { method: number; packedBytes: number; bytes: number },
): Uint8Array {
  if (bytes > MAX_UNPACKED_BYTES || local + LOCAL_BYTES > archive.length) throw damaged()
  const from = local + LOCAL_BYTES + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
  const packed = archive.subarray(from, from + packedBytes)
  if (packed.length !== packedBytes) throw damaged()
  if (method === STORED && bytes === packedBytes) return packed
  if (method !== DEFLATED) throw damaged()
  try {
    // One byte is the least that zlib accepts as a limit.
    const content = inflateRawSync(packed, { maxOutputLength: Math.max(1, bytes) })
    if (content.length === bytes) return content
  } catch (cause) {
    throw damaged(cause)
  }
  throw damaged()
}

function damaged(cause?: unknown): Error {
  return invalidModel('the archive of the model is damaged, or is not a zip archive', cause)
}
