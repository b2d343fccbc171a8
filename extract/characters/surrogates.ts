/** True for a UTF-16 unit that is the first half of a surrogate pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >> 10 === 0x36
}

/** True for a UTF-16 unit that is the second half of a surrogate pair. */
export function isLowSurrogate(unit: number): boolean {
  return unit >> 10 === 0x37
}

/** True for a UTF-16 unit that is half of a surrogate pair. */
export function isSurrogate(unit: number): boolean {
  return unit >> 11 === 0x1b
}

/** Returns the first `limit` UTF-16 units of a text, or one fewer if that would split a surrogate pair. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  return text.slice(0, isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit)
}
