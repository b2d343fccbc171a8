/** Returns a number of bytes rounded up to whole 32-bit words. */
export function padToWords(bytes: number): number {
  return (bytes + 3) & ~3
}
