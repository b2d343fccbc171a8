import { foldWord } from './fold.ts'
import { porter2 } from './porter2.ts'

/** Terms are cut to this many UTF-16 units, so that no page can make a huge one. */
export const MAX_TERM_UNITS = 64

const MAX_CACHED = 200_000

const termsByWord = new Map<string, string>()
const bigramsByPair = new Map<number, string>()

/** Returns the term of an ASCII word or number, as found in a text. */
export function termOfAscii(raw: string): string {
  const cached = termsByWord.get(raw)
  return cached === undefined ? remember(raw, stemAscii(raw.slice(0, MAX_TERM_UNITS).toLowerCase())) : cached
}

/** Returns the term of any word, as found in a text; '' when nothing but diacritics was in it. */
export function termOfWord(raw: string): string {
  const cached = termsByWord.get(raw)
  return cached === undefined ? remember(raw, stemAscii(foldWord(raw, MAX_TERM_UNITS))) : cached
}

/** Returns the term of two neighbours of a script without spaces. */
export function termOfBigram(first: number, second: number): string {
  const pair = first * 0x110000 + second
  let term = bigramsByPair.get(pair)
  if (term === undefined) {
    if (bigramsByPair.size >= MAX_CACHED) bigramsByPair.clear()
    term = String.fromCodePoint(first, second)
    bigramsByPair.set(pair, term)
  }
  return term
}

function stemAscii(folded: string): string {
  for (let at = 0; at < folded.length; at++) {
    const unit = folded.charCodeAt(at)
    if (unit < 97 || unit > 122) return folded
  }
  return porter2(folded)
}

function remember(raw: string, term: string): string {
  const ownTerm = detached(term)
  // A long raw word is rare and its term cheap beside keeping it.
  if (raw.length > MAX_TERM_UNITS) return ownTerm
  if (termsByWord.size >= MAX_CACHED) termsByWord.clear()
  termsByWord.set(detached(raw), ownTerm)
  return ownTerm
}

/** Copies a string: V8 makes a slice of 13 units or more a view that would keep the whole page alive. */
function detached(text: string): string {
  if (text.length < 13) return text
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) > 0xff) return Buffer.from(text, 'utf16le').toString('utf16le')
  return Buffer.from(text, 'latin1').toString('latin1')
}
