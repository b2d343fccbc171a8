import { queryTerms } from '../text/terms/query-terms.ts'

/**
 * Words of an instruction that say what to do, or that refer to the page itself, rather than name a topic. They are
 * ignored.
 */
const commandWords = new Set(
  `extract list find give get show tell return fetch name identify describe explain summarize summarise summary outline
  provide write answer output format quote locate look search report please
  page pages article document text content website site webpage passage passages section information info detail details
  according mentioned following using based markdown json bullet bullets points sentence sentences word words brief briefly
  exact exactly only every everything anything full complete entire main`.match(/[a-z]+/g),
)

/** The most terms that are used. No meaningful instruction of 2,000 characters has more. */
const MAX_TERMS = 64

/** Returns the distinct terms of an instruction, as they are indexed, without words that only give an order. */
export function instructionTerms(instruction: string): string[] {
  const terms = queryTerms(instruction)
  const about = terms.filter(({ word, functionWord }) => !functionWord && !commandWords.has(word))
  return [...new Set(about.map(({ term }) => term))].slice(0, MAX_TERMS)
}
