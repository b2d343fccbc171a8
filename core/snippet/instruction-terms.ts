import { queryTerms } from '../text/terms/query-terms.ts'

/**
 * Words that tell a reader what to do rather than what about. One of them counts only where the instruction says
 * nothing else.
 */
const orders = new Set(
  `extract list find give get show tell return fetch name identify describe explain summarize summarise summary outline
  provide write answer output format quote locate look search report please
  page pages article document text content website site webpage passage passages section information info detail details
  according mentioned following using based markdown json bullet bullets points sentence sentences word words brief briefly
  exact exactly only every everything anything full complete entire main`.match(/[a-z]+/g),
)

/** Terms looked for: no instruction of 2,000 characters that means something has more. */
const MAX_TERMS = 64

/** What an instruction is about, as the index knows words: each term once, without the words that only give an order. */
export function instructionTerms(instruction: string): string[] {
  const terms = queryTerms(instruction)
  const about = terms.filter(({ word, functionWord }) => !functionWord && !orders.has(word))
  return [...new Set(about.map(({ term }) => term))].slice(0, MAX_TERMS)
}
