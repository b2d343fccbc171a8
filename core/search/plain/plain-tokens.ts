import { quotationsIn } from '../query/quotations.ts'

/** A token of a plain query. */
export interface PlainToken {
  kind: 'word' | 'phrase' | 'open' | 'close'
  /** A word as typed, or the text inside quotation marks. Empty for a parenthesis. */
  text: string
  /** The sign before it. */
  sign: '' | '-' | '!' | '+'
  /** The name of the operator before it, in lower case and without the colon: `site`. '' if there is no operator. */
  name: string
}

/** Parentheses that are nested deeper than this are plain text. */
const MAX_DEPTH = 32

/**
 * Parentheses group words only in a query that matches one of these two patterns. Otherwise they are plain text, as in `print()` or
 * `Mercury (planet)`.
 */
const CONNECTIVE = /(?:^|[\s(])(?:AND|OR|NOT|\|\|?|&&)(?=[\s(])/
const BEFORE_GROUP = /(?:^|\s)(?:[-!+]|[a-z]{1,15}:)\(/i
const NAME = /^[a-z]{1,15}(?=:)/i
const SPACE = /\s/
const WORDS = /\S+/g
/** Matches every query with a sign, a name, a quotation mark or a group. */
const MARKED = /[-!+:()"]/
/** For each sign the characters that may follow it; before any other character it is plain text. */
const AFTER_SIGN: Readonly<Record<string, RegExp>> = {
  '-': /[^\s-]/,
  '!': /[\p{L}\p{N}("'“”„«»‘‚「『]/u,
  '+': /[\p{L}("“”„«»「『]/u,
}

/**
 * Splits a plain query into tokens, in time linear in its length. An unpaired quotation mark, a lone sign and a parenthesis inside a
 * word are plain text.
 *
 * @param isName - true for the name of an operator.
 */
export function plainTokens(text: string, isName: (name: string) => boolean): PlainToken[] {
  const quoted = quotationsIn(text)
  // Most queries are words alone.
  if (quoted.length === 0 && !MARKED.test(text)) return text.match(WORDS)?.map(wordToken) ?? []
  const groups = CONNECTIVE.test(text) || BEFORE_GROUP.test(text)
  const quotations = new Map(quoted.map(({ start, end }) => [start, end]))
  const tokens: PlainToken[] = []
  let depth = 0
  /** True where a sign or a name may begin a token. */
  let begins = true
  for (let at = 0; at < text.length; ) {
    if (SPACE.test(text[at]!)) {
      at++
      begins = true
      continue
    }
    const { sign, name, from } = begins ? prefixAt(text, at, isName) : { sign: '' as const, name: '', from: at }
    const end = quotations.get(from)
    if (end !== undefined) {
      tokens.push({ kind: 'phrase', text: text.slice(from + 1, end - 1), sign, name })
      at = end
      begins = false
    } else if (groups && text[from] === '(' && (begins || from > at) && depth < MAX_DEPTH) {
      tokens.push({ kind: 'open', text: '', sign, name })
      depth++
      at = from + 1
      begins = true
    } else if (text[from] === ')' && depth > 0) {
      tokens.push({ kind: 'close', text: '', sign: '', name: '' })
      depth--
      at = from + 1
      begins = false
    } else {
      const word = wordAt(text, from, { quotations, depth })
      tokens.push({ kind: 'word', text: word, sign, name })
      at = from + word.length
      begins = false
    }
  }
  return tokens
}

function wordToken(text: string): PlainToken {
  return { kind: 'word', text, sign: '', name: '' }
}

/** The sign and the name that begin at an offset, and the offset after them. */
function prefixAt(
  text: string,
  at: number,
  isName: (name: string) => boolean,
): Pick<PlainToken, 'sign' | 'name'> & { from: number } {
  const char = text[at]!
  const isSign = AFTER_SIGN[char]?.test(String.fromCodePoint(text.codePointAt(at + 1) ?? 0x20)) === true
  const sign = isSign ? (char as PlainToken['sign']) : ''
  const from = at + sign.length
  const name = NAME.exec(text.slice(from, from + 16))?.[0].toLowerCase() ?? ''
  if (name === '' || !isName(name)) return { sign, name: '', from }
  return { sign, name, from: from + name.length + 1 }
}

/** Returns the word at an offset. It ends before white space, a quotation mark, or a parenthesis that closes a group. */
function wordAt(
  text: string,
  from: number,
  { quotations, depth }: { quotations: ReadonlyMap<number, number>; depth: number },
): string {
  let end = from
  let opened = 0
  for (; end < text.length && !SPACE.test(text[end]!); end++) {
    if (end > from && (text[end] === '"' || quotations.has(end))) break
    if (text[end] === '(') opened++
    if (text[end] === ')' && --opened < 0 && depth > 0) break
    if (opened < 0) opened = 0
  }
  return text.slice(from, end)
}
