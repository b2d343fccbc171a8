import { crc32 } from 'node:zlib'
import { AsofError } from '@asof/core'

const CHECKSUM_CHARS = 8

function checksum(key: string, json: string): string {
  return crc32(json, crc32(key)).toString(16).padStart(CHECKSUM_CHARS, '0')
}

/**
 * The kind of a record: its key up to the first slash. Only this part may appear in an error message, since the rest can
 * hold the hash of a secret.
 */
function kindOf(key: string): string {
  return key.split('/', 1)[0] ?? ''
}

/** Encodes a record as a CRC-32 of its key and JSON, followed by the JSON. LevelDB does not verify the blocks it reads. */
export function encodeRecord(key: string, record: unknown): string {
  const json = JSON.stringify(record)
  return checksum(key, json) + json
}

/**
 * Decodes a record that {@link encodeRecord} encoded for the same key.
 *
 * @throws ASOF_STORE_CORRUPT - the checksum does not match.
 */
export function decodeRecord(key: string, stored: string): unknown {
  const json = stored.slice(CHECKSUM_CHARS)
  if (stored.slice(0, CHECKSUM_CHARS) === checksum(key, json)) return JSON.parse(json) as unknown
  throw new AsofError(
    'ASOF_STORE_CORRUPT',
    `the checksum of a record (${kindOf(key)}) does not match; restore a backup`,
  )
}
