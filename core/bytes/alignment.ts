/** The number of bytes that `bytes` take once they are padded to whole 32-bit words. */
export function padToWords(bytes: number): number {
  return (bytes + 3) & ~3
}
