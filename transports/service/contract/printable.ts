/**
 * Control characters of a page must not reach a terminal: they could move the cursor or change its settings. Line ends and
 * tabs stay.
 */
export function printable(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ' ')
}
