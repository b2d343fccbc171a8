/**
 * Returns bytes as a string with one character (U+0000 to U+00FF) for each byte. In a cache of many short records, such
 * a string takes half the memory of a buffer.
 */
export function byteString(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/**
 * Returns the bytes of a string that {@link byteString} made, as a plain Uint8Array. Code that reads records is faster
 * if it never gets a Buffer.
 */
export function bytesOf(record: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(record, 'latin1')
  return new Uint8Array(buffer, byteOffset, length)
}
