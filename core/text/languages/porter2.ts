/**
 * The English stemmer of the Snowball project (Porter2), as defined since Snowball 3.0 at
 * https://snowballstem.org/algorithms/english/stemmer.html, including its exceptions. `Y` marks a y that is a
 * consonant.
 */

const VALID_LI = 'cdeghkmnrt'
const DOUBLES = new Set(['bb', 'dd', 'ff', 'gg', 'mm', 'nn', 'pp', 'rr', 'tt'])

const wholeWords = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ['sky', 'sky'],
  ['news', 'news'],
  ['howe', 'howe'],
  ['atlas', 'atlas'],
  ['cosmos', 'cosmos'],
  ['bias', 'bias'],
  ['andes', 'andes'],
])

/** Beginnings after which the region R1 starts, so that organ, organic and organize have different stems. */
const regionStarts = ['gener', 'commun', 'arsen', 'past', 'univers', 'later', 'emerg', 'organ']

const keptBeforeEed = new Set(['proc', 'exc', 'succ'])
const keptBeforeIng = new Set(['inn', 'out', 'cann', 'herr', 'earr', 'even'])

// The longest matching suffix is replaced, so a longer suffix comes before a shorter one with the same ending.
const step2Suffixes: readonly [string, string][] = [
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['iveness', 'ive'],
  ['ization', 'ize'],
  ['ousness', 'ous'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['tional', 'tion'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ation', 'ate'],
  ['entli', 'ent'],
  ['fulli', 'ful'],
  ['iviti', 'ive'],
  ['ogist', 'og'],
  ['ousli', 'ous'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['anci', 'ance'],
  ['ator', 'ate'],
  ['enci', 'ence'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
]

const step3Suffixes: readonly [string, string][] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['ative', ''],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]

const step4Suffixes = ('ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic' as const).split(
  ' ',
)

/** The last letters of all suffixes that any step changes. */
const LAST_LETTERS = new Set([...'cdegilmnrsty'].map(letter => letter.charCodeAt(0)))

/**
 * False if the last letter shows that a word of lower-case ASCII letters is its own stem.
 *
 * @param last - the code unit of the last letter.
 */
export function mayStem(last: number): boolean {
  return LAST_LETTERS.has(last)
}

/**
 * Returns the stem of an English word.
 *
 * @param word - lower-case ASCII letters. The algorithm's step 0, which removes apostrophes, is left out.
 * @returns the stem. A word of one or two letters is returned unchanged.
 */
export function porter2(word: string): string {
  if (word.length < 3) return word
  const whole = wholeWords.get(word)
  if (whole !== undefined) return whole
  const marked = markConsonantY(word.startsWith("'") ? word.slice(1) : word)
  const r1 = startOfR1(marked)
  const r2 = regionAfter(marked, r1)
  let stem = step1a(step0(marked))
  stem = step1c(step1b(stem, r1))
  stem = step2(stem, r1)
  stem = step3(stem, r1, r2)
  stem = step4(stem, r2)
  stem = step5(stem, r1, r2)
  return stem.includes('Y') ? stem.replaceAll('Y', 'y') : stem
}

function isVowel(letter: string | undefined): boolean {
  return letter === 'a' || letter === 'e' || letter === 'i' || letter === 'o' || letter === 'u' || letter === 'y'
}

function hasVowel(text: string, end: number): boolean {
  for (let at = 0; at < end; at++) if (isVowel(text[at])) return true
  return false
}

function markConsonantY(word: string): string {
  if (!word.includes('y')) return word
  let marked = ''
  for (let at = 0; at < word.length; at++)
    marked += word[at] === 'y' && (at === 0 || isVowel(marked[at - 1])) ? 'Y' : word[at]
  return marked
}

function startOfR1(word: string): number {
  for (const start of regionStarts) if (word.startsWith(start)) return start.length
  return regionAfter(word, 0)
}

/**
 * Returns the offset after the first consonant that follows a vowel, looking from `from` on. Returns the length of the
 * word if there is none.
 */
function regionAfter(word: string, from: number): number {
  let at = from
  while (at < word.length && !isVowel(word[at])) at++
  while (at < word.length && isVowel(word[at])) at++
  return Math.min(at + 1, word.length)
}

function endsInShortSyllable(word: string): boolean {
  const { length } = word
  if (word.endsWith('past')) return true
  if (length < 2 || isVowel(word[length - 1]) || !isVowel(word[length - 2])) return false
  if (length === 2) return true
  const last = word[length - 1]
  return !isVowel(word[length - 3]) && last !== 'w' && last !== 'x' && last !== 'Y'
}

function cut(word: string, count: number): string {
  return word.slice(0, word.length - count)
}

function step0(word: string): string {
  if (word.endsWith("'s'")) return cut(word, 3)
  if (word.endsWith("'s")) return cut(word, 2)
  return word.endsWith("'") ? cut(word, 1) : word
}

function step1a(word: string): string {
  if (word.endsWith('sses')) return cut(word, 2)
  if (word.endsWith('ied') || word.endsWith('ies')) return cut(word, word.length > 4 ? 2 : 1)
  if (!word.endsWith('s') || word.endsWith('us') || word.endsWith('ss')) return word
  return hasVowel(word, word.length - 2) ? cut(word, 1) : word
}

function step1b(word: string, r1: number): string {
  const eed = word.endsWith('eed') ? 3 : word.endsWith('eedly') ? 5 : 0
  if (eed > 0) {
    const before = cut(word, eed)
    return before.length >= r1 && !keptBeforeEed.has(before) ? `${before}ee` : word
  }
  if (word.endsWith('ing')) {
    const before = cut(word, 3)
    if (before.length === 2 && before[1] === 'y' && !isVowel(before[0])) return `${before[0]}ie`
    if (keptBeforeIng.has(before)) return word
  }
  const length = word.endsWith('ed')
    ? 2
    : word.endsWith('ing')
      ? 3
      : word.endsWith('edly')
        ? 4
        : word.endsWith('ingly')
          ? 5
          : 0
  if (length === 0) return word
  const before = cut(word, length)
  return hasVowel(before, before.length) ? mendVerb(before, r1) : word
}

/** Restores the end of a verb after -ed or -ing was removed: hopp → hop, hop → hope, luxuriat → luxuriate. */
function mendVerb(verb: string, r1: number): string {
  const lastTwo = verb.slice(-2)
  if (lastTwo === 'at' || lastTwo === 'bl' || lastTwo === 'iz') return `${verb}e`
  if (DOUBLES.has(lastTwo)) {
    const afterOneVowel = verb.length === 3 && (verb[0] === 'a' || verb[0] === 'e' || verb[0] === 'o')
    return afterOneVowel ? verb : cut(verb, 1)
  }
  return verb.length === r1 && endsInShortSyllable(verb) ? `${verb}e` : verb
}

function step1c(word: string): string {
  const last = word[word.length - 1]
  if (word.length < 3 || (last !== 'y' && last !== 'Y') || isVowel(word[word.length - 2])) return word
  return `${cut(word, 1)}i`
}

function step2(word: string, r1: number): string {
  for (const [suffix, replacement] of step2Suffixes) {
    if (!word.endsWith(suffix)) continue
    const before = cut(word, suffix.length)
    if (before.length < r1) return word
    const last = before[before.length - 1]
    if (suffix === 'li' && (last === undefined || !VALID_LI.includes(last))) return word
    if (suffix === 'ogi' && last !== 'l') return word
    return before + replacement
  }
  return word
}

function step3(word: string, r1: number, r2: number): string {
  for (const [suffix, replacement] of step3Suffixes) {
    if (!word.endsWith(suffix)) continue
    const before = cut(word, suffix.length)
    return before.length < (suffix === 'ative' ? r2 : r1) ? word : before + replacement
  }
  return word
}

function step4(word: string, r2: number): string {
  for (const suffix of step4Suffixes) {
    if (!word.endsWith(suffix)) continue
    const before = cut(word, suffix.length)
    if (before.length < r2) return word
    if (suffix === 'ion' && !before.endsWith('s') && !before.endsWith('t')) return word
    return before
  }
  return word
}

function step5(word: string, r1: number, r2: number): string {
  const before = cut(word, 1)
  if (word.endsWith('e')) {
    return before.length >= r2 || (before.length >= r1 && !endsInShortSyllable(before)) ? before : word
  }
  return word.endsWith('l') && before.length >= r2 && before.endsWith('l') ? before : word
}
