/** Returns a query of as many words as fit into 2,048 characters, with new words each time. */
export function longQuery(turn: number): string {
  const words = Array.from({ length: 370 }, (_, i) => `w${(turn * 7 + i * 13) % 1_000}`)
  return words.join(' ').slice(0, 2_000)
}
