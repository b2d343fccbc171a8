/** The polynomial of CRC-32C (RFC 3720, appendix B.4). `node:zlib` has only the CRC-32 with another polynomial. */
const POLYNOMIAL = 0x82f63b78
const tables = new Int32Array(256 * 8)
for (let i = 0; i < 256; i++) {
  let remainder = i
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1
  tables[i] = remainder
}
for (let t = 256; t < tables.length; t++) tables[t] = (tables[t - 256]! >>> 8) ^ tables[tables[t - 256]! & 255]!

export function crc32c(bytes: Uint8Array): number {
  const end = bytes.length
  let crc = -1
  let at = 0
  for (; at + 8 <= end; at += 8) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    crc =
      tables[1792 + (crc & 255)]! ^
      tables[1536 + ((crc >>> 8) & 255)]! ^
      tables[1280 + ((crc >>> 16) & 255)]! ^
      tables[1024 + (crc >>> 24)]! ^
      tables[768 + bytes[at + 4]!]! ^
      tables[512 + bytes[at + 5]!]! ^
      tables[256 + bytes[at + 6]!]! ^
      tables[bytes[at + 7]!]!
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]!) & 255]!
  return (crc ^ -1) >>> 0
}

/**
 * Returns the CRC as LevelDB stores it, rotated and offset. A CRC that is stored unchanged is weak where data contains
 * other CRCs.
 */
export function maskedCrc32c(bytes: Uint8Array): number {
  const crc = crc32c(bytes)
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
