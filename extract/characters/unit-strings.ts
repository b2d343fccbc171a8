/**
 * Returns the string of the first `length` units. Changes the array.
 *
 * @param all - the bitwise OR of all units.
 */
export function stringOfUnits(units: Uint16Array, length: number, all: number): string {
  const text = Buffer.from(units.buffer, units.byteOffset, 2 * length)
  if (all > 0xff) return text.toString('utf16le')
  // All units are Latin-1. A string of single bytes takes half the memory.
  for (let at = 0; at < length; at++) text[at] = units[at]!
  return text.toString('latin1', 0, length)
}
