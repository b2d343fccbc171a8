/** Returns the number of bytes that `bytes` bytes take after padding to whole 32-bit words. */
export function padToWords(bytes: number): number {
  return (bytes + 3) & ~3
}
