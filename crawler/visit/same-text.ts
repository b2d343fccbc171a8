import { changeShare, pageWordsOf } from './change-share.ts'
import { textHashOf } from './page-content.ts'

// As searches leave out near-duplicates: at least 32 different words, nine tenths of them in common (`NearDuplicates`).
const MIN_WORDS = 32
const MAX_CHANGE = 0.1

/**
 * True if two pages have the same text: equal except for case, white space and link targets, or nearly equal, with the
 * same numbers, signs, units, negations and names. False for texts that are too short to identify a page.
 */
export function isSameText(a: string, b: string): boolean {
  const hash = textHashOf(a)
  if (hash === undefined || valuesOf(a) !== valuesOf(b)) return false
  if (hash === textHashOf(b)) return true
  return new Set(pageWordsOf(a)).size >= MIN_WORDS && changeShare(a, b) <= MAX_CHANGE && !differsInMeaning(a, b)
}

/** Words that negate in the most common languages of the web. Of `don't`, `t` is a word. */
const negations = new Set(
  (
    'not no never none neither nor nobody nothing without cannot t nicht kein keine keinen keinem keiner keines nie niemals ohne ne pas ' +
    'jamais aucun aucune sans nunca jamás sin ningún ninguna non mai senza nessun não nem sem nenhum niet geen nooit zonder ' +
    'не нет ни без никогда nie bez inte ikke ej ingen aldrig ei δεν μη لا لم لن ليس değil'
  ).split(' '),
)
/** A word with a capital that does not begin a sentence or line. */
const name = /(?<=[\p{L}\p{N},;)]['’"”*_]{0,2} ['"“*_[(]{0,2})\p{Lu}[\p{L}\p{M}\p{N}]*/gu

/** True if a word that only one of two texts has is a negation or a name. */
function differsInMeaning(a: string, b: string): boolean {
  const counts = new Map<string, number>()
  for (const word of pageWordsOf(a)) counts.set(word, (counts.get(word) ?? 0) + 1)
  for (const word of pageWordsOf(b)) counts.set(word, (counts.get(word) ?? 0) - 1)
  const others = new Set([...counts].filter(([, count]) => count !== 0).map(([word]) => word))
  if ([...others].some(word => negations.has(word))) return true
  return [a, b].some(text => (text.match(name) ?? []).some(word => others.has(word.toLowerCase())))
}

/** A number with its sign and its unit or the word behind it, or another sign that carries meaning. */
const value = /[<>≤≥≠=±~+\-−–$€£¥]?\s?\p{N}[\p{N}.,:/]{0,30}\s?(?:[%‰°€£¥]|\p{L}{1,20})?|[<>≤≥≠±✓✔✗✘☑☒%°#]|\+\+/gu

/** Pages made from one template may differ only in a price, a date, a sign or a unit. Returns these in their order. */
function valuesOf(markdown: string): string {
  return (markdown.match(value) ?? []).join('\n')
}
