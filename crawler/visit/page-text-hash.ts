import { hash } from 'node:crypto'

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
    // Every run of white space becomes one space; most are one already.
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .trim()
  if (text.length < minTextChars) return undefined
  return hash('sha256', text, 'base64url').slice(0, 22)
}
