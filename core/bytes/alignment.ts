/** The number of bytes that `bytes` take once they are padded to whole 32-bit words. */
export function paddedToWords(bytes: number): number {
  return (bytes + 3) & ~3
}
