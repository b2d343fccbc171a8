import { seedWords } from './seed-words.ts'

/** The shortest seed phrase. */
const SHORTEST = 12

/** A phrase of any list of words, which its name announces. */
const named =
  /(?<![a-z])(?:(?:seed|recovery|backup|secret)[ -]?(?:phrase|words)|mnemonic)["']?[ \t]{0,4}(?:is|are|:|=)[ \t]{0,4}["']?(?:[a-z]{3,12}[ \t\n,]{1,4}){11}[a-z]{3}/i

/**
 * Returns true if a text has as many words of seed phrases in a row as a seed phrase, with any numbers and marks between, or
 * names a phrase of as many words.
 */
export function hasSeedPhrase(text: string): boolean {
  if (named.test(text)) return true
  let run = 0
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
    run = seedWords.has(word) ? run + 1 : 0
    if (run === SHORTEST) return true
  }
  return false
}
