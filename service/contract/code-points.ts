/** Returns the first `max` code points of `text`, so a surrogate pair is never cut in half. */
export function firstCodePoints(text: string, max: number): string {
  if (text.length <= max) return text
  let index = 0
  for (let count = 0; count < max && index < text.length; count += 1) {
    const high = text.charCodeAt(index) >> 10 === 0x36
    const low = text.charCodeAt(index + 1) >> 10 === 0x37
    index += high && low ? 2 : 1
  }
  return text.slice(0, index)
}
