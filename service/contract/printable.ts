/**
 * Replaces control characters by spaces, except line ends and tabs. The text of a page may contain control characters, which
 * could move the cursor of a terminal or change its settings.
 */
export function printable(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ' ')
}
