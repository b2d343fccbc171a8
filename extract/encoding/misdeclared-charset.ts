import { isAscii } from 'node:buffer'
import { CharsetDecoder } from './charset-decoder.ts'
import { sampleOf } from './charset-detection.ts'

/** Minimum number of characters beyond ASCII by which encodings are compared. */
const MIN_CHARACTERS = 40
/**
 * A text is read in another encoding if its plausibility is above `PLAUSIBLE` there and below `IMPLAUSIBLE` as declared. It is about 1.2 in
 * the right encoding, and at most 0.5 in a wrong one.
 */
const PLAUSIBLE = 0.95
const IMPLAUSIBLE = 0.55
/**
 * Minimum share of the bytes beyond ASCII that are next to another one, in text of a script other than Latin. In Latin scripts the share is
 * at most half.
 */
const MIN_IN_RUNS = 0.8
/** Minimum number of characters beyond ASCII for each error. */
const MIN_CHARACTERS_PER_ERROR = 100

/** The most frequent letters or characters of a script, and the share of all characters beyond ASCII that they have in a usual text. */
const SCRIPTS: readonly (readonly [frequent: RegExp, share: number])[] = [
  [/[оеаинтсрвлк]/g, 0.55],
  [/[αοιετσνηυρ]/g, 0.52],
  [/[יוהלאתמרבש]/g, 0.62],
  [/[اليمونترب]/g, 0.6],
  [/[\u3041-\u3093]/g, 0.3],
  [/[的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可]/g, 0.18],
  [/[的一是不了在人有我他這中大來上個國到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可]/g, 0.18],
  [/[이다는의에을가고하를은지로한기사도서어나]/g, 0.22],
]
const BEYOND_ASCII = /[^\0-\x7f]/g
const CYRILLIC = ['windows-1251', 'koi8-u', 'iso-8859-5', 'ibm866']
const OTHERS = ['windows-1253', 'windows-1255', 'windows-1256']
const MULTI_BYTE = ['shift_jis', 'euc-jp', 'gbk', 'big5', 'euc-kr']

/** For some ISO encodings, the Windows encoding that has letters in the place of control characters. */
const WINDOWS: Readonly<Record<string, string>> = {
  'iso-8859-2': 'windows-1250',
  'iso-8859-7': 'windows-1253',
  'iso-8859-13': 'windows-1257',
}
const C1_LETTERS = /[\x8a\x8c-\x8f\x9a\x9c-\x9f]/g
/** Matches a byte between two letters that is a letter in ISO-8859-2, but not in windows-1250. */
const ISO_LETTERS = /(?<=[a-z])[\xa1\xa6\xa9\xab\xac\xae\xb1\xb5\xb6\xbb](?=[a-z])/gi
const MIN_C1_LETTERS = 3

/** Match Cyrillic words with a small first letter before capitals, and words that begin with a capital before small letters. */
const INVERTED = /(?<!\p{L})[а-яё][А-ЯЁ]{2,30}(?!\p{L})/gu
const CAPITALIZED = /(?<!\p{L})[А-ЯЁ][а-яё]{2}/u
const MIN_INVERTED = 2
/**
 * Match Cyrillic words, and places where a capital follows a small letter. `MIN_MIXED` is the minimum number of these places for each word
 * in a wrong encoding.
 */
const WORD = /[а-яА-ЯёЁ]{3,}/g
const MIXED = /[а-яё][А-ЯЁ]{1,2}(?=[^А-ЯЁ])/g
const MIN_MIXED = 0.3

/**
 * Returns the legacy encoding of a text that is declared as another legacy encoding. The bytes may be valid in both, so the text must leave
 * no doubt: in the declared encoding it has control characters, or hardly a frequent letter of any language, and in the other one it is
 * usual text. A few characters are no evidence, and neither is a table of the characters of an encoding.
 *
 * @param declared - named as in `TextDecoder.encoding`.
 */
export function misdeclaredEncoding(bytes: Uint8Array, declared: string): string | undefined {
  if (declared.startsWith('utf-') || isAscii(bytes)) return undefined
  const sample = sampleOf(bytes)
  const other = likelierEncoding(sample, declared)
  return other ?? (hasWindowsLetters(sample) ? WINDOWS[declared] : undefined)
}

function likelierEncoding(sample: Uint8Array, declared: string): string | undefined {
  const others = encodingsBeside(declared, sample)
  if (others.length === 0 || !isImplausible(sample, declared)) return undefined
  let best: string | undefined
  let most = PLAUSIBLE
  for (const other of others) {
    const found = other === declared ? 0 : plausibility(sample, other)
    if (found <= most) continue
    best = other
    most = found
  }
  return best
}

function hasWindowsLetters(sample: Uint8Array): boolean {
  if (inRuns(sample) >= MIN_IN_RUNS) return false
  const text = Buffer.from(sample).toString('latin1')
  const letters = text.match(C1_LETTERS)?.length ?? 0
  return letters >= MIN_C1_LETTERS && letters > (text.match(ISO_LETTERS)?.length ?? 0)
}

/** Returns the encodings in which a text may really be if this one is declared. */
function encodingsBeside(declared: string, sample: Uint8Array): readonly string[] {
  if (MULTI_BYTE.includes(declared) || declared === 'gb18030') return MULTI_BYTE
  const isCyrillic = CYRILLIC.includes(declared) || declared === 'koi8-r' || declared === 'x-mac-cyrillic'
  const isLatin = /^(?:windows-125[0247]|iso-8859-(?:[2-4]|1[0-6]))$/.test(declared)
  if ((!isCyrillic && !isLatin) || inRuns(sample) < MIN_IN_RUNS) return []
  if (isLatin) return [...CYRILLIC, ...OTHERS, ...MULTI_BYTE]
  return declared === 'koi8-r' ? CYRILLIC.filter(other => other !== 'koi8-u') : CYRILLIC
}

/** True if the text, read as declared, is not usual text of any script, or has capitals in the place of small letters. */
function isImplausible(sample: Uint8Array, declared: string): boolean {
  if (plausibility(sample, declared) < IMPLAUSIBLE) return true
  // KOI8 has capitals where windows-1251 has small letters.
  const text = new CharsetDecoder(declared).decode(sample)
  if ((text.match(INVERTED)?.length ?? 0) >= MIN_INVERTED && !CAPITALIZED.test(text)) return true
  // ISO-8859-5 has some small letters where windows-1251 has capitals, so that words mix both.
  const words = text.match(WORD)?.length ?? 0
  return words > 0 && (text.match(MIXED)?.length ?? 0) >= MIN_MIXED * words
}

/** Returns the share of the bytes beyond ASCII that are next to another one. */
function inRuns(sample: Uint8Array): number {
  const text = Buffer.from(sample).toString('latin1')
  const count = text.match(BEYOND_ASCII)?.length ?? 0
  const runs = text.match(/[^\0-\x7f]{2,}/g) ?? []
  return count === 0 ? 0 : runs.reduce((sum, run) => sum + run.length, 0) / count
}

/**
 * Returns how plausible a text is in an encoding: the share of a script's frequent letters in the text, divided by their share in usual
 * text. The best script decides. Returns 0 if the text has too few characters beyond ASCII or too many errors.
 */
function plausibility(sample: Uint8Array, encoding: string): number {
  const text = new CharsetDecoder(encoding).decode(sample).toLowerCase()
  const beyond = text.match(BEYOND_ASCII)?.length ?? 0
  const errors = text.match(/\ufffd/g)?.length ?? 0
  if (beyond < MIN_CHARACTERS || errors * MIN_CHARACTERS_PER_ERROR > beyond + MIN_CHARACTERS_PER_ERROR) return 0
  return Math.max(...SCRIPTS.map(([frequent, share]) => (text.match(frequent)?.length ?? 0) / beyond / share))
}
