/**
 * Weights of the parts of a text, in tokens. They were fitted to the higher one of the counts of `cl100k_base` and `o200k_base`, so that
 * few texts have more tokens than estimated. Tokenizers have whole words of English, so these cost less than those of other languages in
 * Latin script.
 */
const weights = {
  /** A word in Latin script, or a part of one that begins with an upper-case letter. */
  word: 1.25,
  englishWord: 0.9,
  /** Each letter of it after the fifth. */
  furtherLetter: 0.5,
  englishFurtherLetter: 0.3,
  /** A word that begins with an upper-case letter. */
  capital: 0.4,
  /** A Latin letter that is not ASCII. */
  accent: 1.6,
  /** Up to three digits. */
  digits: 1.6,
  /** The first, and each further, of several ASCII signs in a row. */
  sign: 0.9,
  furtherSign: 0.25,
  /** Several spaces in a row. */
  spaces: 0.9,
  lineFeeds: 0.2,
} as const

/** The tokens of a character by script: of the characters up to each code point. They are about those of `cl100k_base`. */
const scripts: readonly (readonly [upTo: number, tokens: number])[] = [
  [0x36f, 2.5],
  [0x3ff, 1.06], // Greek
  [0x52f, 0.6], // Cyrillic
  [0x58f, 2.5],
  [0x5ff, 1.25], // Hebrew
  [0x6ff, 0.87], // Arabic
  [0x8ff, 2.5],
  [0x97f, 1.25], // Devanagari
  [0xdff, 1.56], // other scripts of India
  [0xe7f, 1.04], // Thai
  [0x1eff, 2.95],
  [0x1fff, 1.06], // Greek
  [0x206f, 1.3], // punctuation
  [0x2fff, 2.95],
  [0x303f, 1.1], // punctuation
  [0x30ff, 1.15], // Kana
  [0x33ff, 2.95],
  [0x9fff, 1.42], // Han
  [0xabff, 2.95],
  [0xd7ff, 1.36], // Hangul
  // Half of a surrogate pair: an emoji has about two tokens.
  [0xdfff, 1.15],
  [0xfeff, 2.95],
  [0xffef, 1.1], // full width
  [0xffff, 2.95],
]

const tokensOfScript = Float32Array.from({ length: 0x10000 }, (_, unit) => scripts.find(([upTo]) => unit <= upTo)![1])

/** Frequent words of English that hardly any other language in Latin script has. */
const englishWords = new Set('the of and that with it are this from which has have its if you not by be'.split(' '))
const LONGEST_ENGLISH = 5
/** Share of {@link englishWords} among the words of a text that is English as a whole. */
const ENGLISH_SHARE = 0.1

/** The kinds of UTF-16 units that are not counted one by one. */
const Kind = { other: 0, lower: 1, upper: 2, digit: 3, lineFeed: 4, space: 5, sign: 6 } as const

const kinds = Uint8Array.from({ length: 0x10000 }, (_, unit) => {
  if (unit >= 0x41 && unit <= 0x5a) return Kind.upper
  const isLatin =
    (unit >= 0x61 && unit <= 0x7a) || (unit >= 0xc0 && unit <= 0x24f) || (unit >= 0x1e00 && unit <= 0x1eff)
  if (isLatin) return Kind.lower
  if (unit >= 0x80) return Kind.other
  if (unit >= 0x30 && unit <= 0x39) return Kind.digit
  if (unit === 0x0a) return Kind.lineFeed
  return unit <= 0x20 || unit === 0x7f ? Kind.space : Kind.sign
})

/**
 * Estimates the number of tokens of a text, whatever tokenizer counts them: at least 95 % of those of `cl100k_base` and of `o200k_base` for
 * prose in many languages, code, addresses and emoji. A text without words, such as a key in base 64, may have more.
 */
export function estimateTokens(text: string): number {
  const { length } = text
  let tokens = 0
  let words = 0
  let english = 0
  let furtherLetters = 0
  for (let at = 0; at < length; ) {
    const start = at
    const unit = text.charCodeAt(at++)
    let kind = kinds[unit]!
    if (kind === Kind.other) {
      tokens += tokensOfScript[unit]!
      continue
    }
    if (kind === Kind.lower || kind === Kind.upper) {
      let partStart = start
      let accents = unit > 0x7f ? 1 : 0
      const isCapital = kind === Kind.upper
      for (; at < length; at++) {
        const next = text.charCodeAt(at)
        const nextKind = kinds[next]!
        if (nextKind !== Kind.lower && nextKind !== Kind.upper) break
        if (next > 0x7f) accents++
        if (nextKind === Kind.upper && kind === Kind.lower) {
          words++
          furtherLetters += Math.max(0, at - partStart - LONGEST_ENGLISH)
          partStart = at
        }
        kind = nextKind
      }
      words++
      furtherLetters += Math.max(0, at - partStart - LONGEST_ENGLISH)
      tokens += accents * weights.accent
      if (isCapital) tokens += weights.capital
      else if (at - start <= LONGEST_ENGLISH && englishWords.has(text.slice(start, at))) english++
      continue
    }
    while (at < length && kinds[text.charCodeAt(at)] === kind) at++
    const further = at - start - 1
    if (kind === Kind.digit) tokens += Math.ceil((further + 1) / 3) * weights.digits
    else if (kind === Kind.sign) tokens += weights.sign + further * weights.furtherSign
    else if (kind === Kind.lineFeed) tokens += weights.lineFeeds
    else if (further > 0) tokens += weights.spaces
  }
  const isEnglish = words === 0 ? 0 : Math.min(1, english / words / ENGLISH_SHARE)
  tokens += words * (weights.word - isEnglish * (weights.word - weights.englishWord))
  tokens +=
    furtherLetters * (weights.furtherLetter - isEnglish * (weights.furtherLetter - weights.englishFurtherLetter))
  return Math.ceil(tokens)
}
