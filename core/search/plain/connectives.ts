import { foldWord } from '../../text/characters/fold.ts'
import { isFunctionWord } from '../../text/languages/function-words.ts'
import type { PlainToken } from './plain-tokens.ts'

export type Connective = 'and' | 'or' | 'not'

const CONNECTIVES: ReadonlyMap<string, Connective> = new Map([
  ['AND', 'and'],
  ['&&', 'and'],
  ['OR', 'or'],
  ['|', 'or'],
  ['||', 'or'],
  ['NOT', 'not'],
])

const CAPITAL = /\p{Lu}/u
/** Letters other than capitals, also those of scripts without capitals, such as Chinese. */
const OTHER_LETTER = /[\p{Ll}\p{Lm}\p{Lo}]/u
/** Names in capital letters that are also function words. */
const ACRONYMS: ReadonlySet<string> = new Set(['IT', 'US', 'WHO'])
/** Maximum number of words for each connective of a query that is no sentence. */
const MAX_WORDS = 12
/** Maximum number of names in a query of capital letters that has other words than those beside connectives. */
const MAX_NAMES = 4
/** Maximum number of UTF-16 units of a name of letters, such as `NASA`. A name with a digit, such as `ISO-9001`, may be longer. */
const MAX_NAME_UNITS = 5

/**
 * Returns for each token of a plain query the connective that it is. In a sentence, AND, OR and NOT are words, because capital letters
 * are also how people shout.
 *
 * @param warn - receives a warning for each connective that is read as a word, unless nothing follows it.
 * @returns undefined for each token that is no connective; [] if none is written.
 */
export function connectivesOf(
  tokens: readonly PlainToken[],
  warn: (warning: string) => void,
): (Connective | undefined)[] {
  // Most queries have no connectives.
  if (!tokens.some(token => writtenConnective(token))) return []
  const words = tokens.filter(token => hasText(token) && !writtenConnective(token))
  const written = tokens.reduce((sum, token) => sum + (writtenConnective(token) ? 1 : 0), 0)
  // A connective is between every two words.
  const onlyJoins = words.length <= written + 1
  const isSentence = (words.length > MAX_WORDS * written || isShouted(words, onlyJoins)) && !hasClearConnective(tokens)
  const hasSmallLetters = words.some(({ text }) => OTHER_LETTER.test(text))
  const isFunction = (token: PlainToken | undefined): boolean => {
    if (token?.kind !== 'word' || !isBare(token) || token.text.length < 2 || writtenConnective(token)) return false
    // `US` is a name in `US OR Canada` and `US OR UK`, and a function word in `LET US NOT FALL`.
    const isName = ACRONYMS.has(token.text) && (onlyJoins || hasSmallLetters)
    return !isName && isFunctionWord(foldWord(token.text), 'en')
  }
  return tokens.map((token, at) => {
    const connective = writtenConnective(token)
    // `&&` is no word.
    if (!connective || !CAPITAL.test(token.text)) return connective
    // No condition is meant on a function word, as in `is NOT open` and `to be OR not`. A single letter is a name.
    if (!isSentence && !isFunction(tokens[at - 1]) && !isFunction(tokens[at + 1])) return connective
    if (at + 1 < tokens.length) warn(readAsWord(token.text))
    return undefined
  })
}

function readAsWord(text: string): string {
  const instead =
    text === 'NOT' ? 'write -WORD to exclude a word' : 'put what it joins in quotation marks, as in "on" OR "off"'
  return `${text} was searched for as a word, because the query reads like a sentence: ${instead}`
}

/** Returns the connective that a token would be in a query that is no sentence. */
function writtenConnective(token: PlainToken): Connective | undefined {
  return token.kind === 'word' && isBare(token) ? CONNECTIVES.get(token.text) : undefined
}

/** True for a token without a sign and without the name of an operator. */
function isBare({ sign, name }: PlainToken): boolean {
  return sign === '' && name === ''
}

function hasText({ kind }: PlainToken): boolean {
  return kind === 'word' || kind === 'phrase'
}

/** True if all words are in capital letters, unless connectives only join a few short names, as in `NASA OR ESA`. */
function isShouted(words: readonly PlainToken[], onlyJoins: boolean): boolean {
  const texts = words.filter(isBare).map(({ text }) => text)
  const isOfNames =
    (onlyJoins || words.length <= MAX_NAMES) &&
    texts.every(name => name.length <= MAX_NAME_UNITS || /\p{Nd}/u.test(name))
  const text = texts.join(' ')
  return CAPITAL.test(text) && !OTHER_LETTER.test(text) && !isOfNames
}

/**
 * True for a query with a connective that no sentence has: one before a parenthesis, after a group that has a connective too, or between
 * two operands with quotation marks or names of operators.
 */
function hasClearConnective(tokens: readonly PlainToken[]): boolean {
  const isMarked = (token: PlainToken | undefined): boolean =>
    token !== undefined && (token.kind === 'phrase' || token.name !== '')
  let depth = 0
  let hasInner = false
  return tokens.some((token, at) => {
    if (token.kind === 'open') depth++
    if (token.kind === 'close') depth--
    if (!writtenConnective(token)) return false
    const [before, after] = [tokens[at - 1], tokens[at + 1]]
    if (after?.kind === 'open' || (before?.kind === 'close' && hasInner)) return true
    hasInner ||= depth > 0
    return isMarked(before) && isMarked(after)
  })
}
