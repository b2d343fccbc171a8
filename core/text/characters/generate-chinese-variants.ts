import { writeFileSync } from 'node:fs'
import { Converter } from 'opencc-js/t2cn'

/**
 * Generates `chinese-variants.generated.ts` from the data of OpenCC: for each traditional character the simplified one, so
 * that a query in one form finds pages in the other. Where several traditional characters became one simplified
 * character, all of them are equal from then on; since terms are pairs of characters, few words become equal.
 *
 * node core/text/characters/generate-chinese-variants.ts
 */

/** Characters that OpenCC converts in some words only, for example 看著 to 看着 and not 著作. */
const inSomeWords: Record<string, string> = { 乾: '干', 著: '着' }

const LAST_CODE_POINT = 0x10ffff
const han = /\p{Script=Han}/u

/** Returns the source text of `chinese-variants.generated.ts`. */
export function generateChineseVariants(): string {
  const simplify = Converter({ from: 't', to: 'cn' })
  const simplerOf = (char: string): string => inSomeWords[char] ?? simplify(char)
  let pairs = ''
  for (let codePoint = 0x2e80; codePoint <= LAST_CODE_POINT; codePoint++) {
    const char = String.fromCodePoint(codePoint)
    if (!han.test(char)) continue
    // Compatibility characters fold to the character that Unicode names (豈, U+F900), and then to the simplified one.
    const folded = char.normalize('NFKC')
    let simplified = folded
    for (let next = simplerOf(folded); next !== simplified; next = simplerOf(next)) simplified = next
    // A character of one UTF-16 unit may only fold to another of one unit.
    const isRarer = char.length < simplified.length
    if (simplified !== folded && isOneCharacter(simplified) && !isRarer) pairs += char + simplified
  }
  return `// Made by generate-chinese-variants.ts from the data of OpenCC (https://github.com/BYVoid/OpenCC,
// Apache License 2.0). Do not edit.
/** Pairs of characters: a traditional one, then the simplified one that it folds to. */
export const chineseVariants =
  '${pairs}'
`
}

function isOneCharacter(text: string): boolean {
  return Array.from(text).length === 1 && han.test(text)
}

if (import.meta.main)
  writeFileSync(new URL('chinese-variants.generated.ts', import.meta.url), generateChineseVariants())
