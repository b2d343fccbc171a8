/** Returns the UTC calendar month of an instant (epoch ms) as `2026-11`. Months can be compared as strings. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}
