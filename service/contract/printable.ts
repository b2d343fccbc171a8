/**
 * Replaces control characters by spaces, except line ends and tabs. Text of a page may contain some, and in a terminal they
 * could move the cursor or change settings.
 */
export function printable(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ' ')
}
