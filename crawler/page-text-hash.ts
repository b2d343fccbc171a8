import { createHash } from 'node:crypto'

// Shorter texts ("Loading…", an empty listing) say nothing about what page they are.
const minTextChars = 64

/**
 * A hash that two pages share when their text is the same but for case, white space and link targets; `undefined`
 * for a page with too little text to tell.
 */
export function textHashOf(markdown: string): string | undefined {
  // Link targets differ where the same article stands under two addresses and links to itself.
  const text = markdown
    .replace(/\]\([^()\s]{0,2048}\)/g, ']')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
  if (text.length < minTextChars) return undefined
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}
