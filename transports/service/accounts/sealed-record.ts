import { crc32 } from 'node:zlib'
import { AsofError } from '@asof/core'
import { kindOf } from './store-keys.ts'

const CHECKSUM_CHARS = 8

function checksum(key: string, json: string): string {
  return crc32(json, crc32(key)).toString(16).padStart(CHECKSUM_CHARS, '0')
}

/** A record as the store keeps it: JSON after a CRC-32 of its key and itself, since LevelDB verifies no block it reads. */
export function sealRecord(key: string, record: unknown): string {
  const json = JSON.stringify(record)
  return checksum(key, json) + json
}

/**
 * The record that was sealed under this key.
 *
 * @throws ASOF_STORE_CORRUPT - it is not what was written there.
 */
export function unsealRecord(key: string, stored: string): unknown {
  const json = stored.slice(CHECKSUM_CHARS)
  if (stored.slice(0, CHECKSUM_CHARS) === checksum(key, json)) return JSON.parse(json) as unknown
  throw new AsofError('ASOF_STORE_CORRUPT', `a record (${kindOf(key)}) is not what was written; restore a backup`)
}
