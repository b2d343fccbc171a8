const REPLACEMENT = '\ufffd'
/** The replacement character itself in UTF-8. */
const ENCODED = Buffer.from(REPLACEMENT)

/**
 * Returns the number of characters that decoding replaced by U+FFFD, because their bytes are invalid in the encoding.
 * Replacement characters that the body already had do not count.
 */
export function replacedCharacters(decoded: string, body: Uint8Array): number {
  let count = 0
  for (let at = decoded.indexOf(REPLACEMENT); at >= 0; at = decoded.indexOf(REPLACEMENT, at + 1)) count++
  if (count === 0) return 0
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  for (let at = bytes.indexOf(ENCODED); at >= 0 && count > 0; at = bytes.indexOf(ENCODED, at + ENCODED.length)) count--
  return count
}
