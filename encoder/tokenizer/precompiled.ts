import { invalidModel } from '../files/invalid-model.ts'

/** Longest text of the table, bytes: so much longer a text can become. The longest that Unicode has is 33. */
const MAX_REPLACEMENT_BYTES = 128
/** Graphemes of at least this many bytes are not looked up as a whole. */
const MAX_GRAPHEME_BYTES = 6

/** Maximum number of graphemes whose normal form is kept in memory. */
const MAX_KNOWN = 20_000
/** Maximum length of such a grapheme, UTF-16 units. */
const MAX_KNOWN_UNITS = 16

/**
 * Reads the table of SentencePiece that replaces characters, as Hugging Face's tokenizers apply it: for each grapheme the text of the shortest
 * key that it begins with, else for each of its characters.
 *
 * @param table - in Base64: the bytes of a trie (a double array of Darts), then the texts, each with a 0 at its end.
 * @throws ASOF_MODEL_INVALID
 */
export function precompiledNormalizer(table: string): (text: string) => string {
  const bytes = Buffer.from(table, 'base64')
  const trieBytes = bytes.length < 4 ? Number.NaN : bytes.readUInt32LE(0)
  if (!(trieBytes % 4 === 0 && trieBytes > 0 && trieBytes <= bytes.length - 4))
    throw invalidModel('tokenizer.json: precompiled_charsmap is damaged')
  const units = Uint32Array.from({ length: trieBytes / 4 }, (_, i) => bytes.readUInt32LE(4 + 4 * i))
  const texts = bytes.subarray(4 + trieBytes)
  for (let from = 0; from < texts.length; ) {
    const end = texts.indexOf(0, from)
    if ((end < 0 ? texts.length : end) - from > MAX_REPLACEMENT_BYTES)
      throw invalidModel(`tokenizer.json: precompiled_charsmap has a text of more than ${MAX_REPLACEMENT_BYTES} bytes`)
    from = end < 0 ? texts.length : end + 1
  }
  const find = (text: string): string | undefined => {
    const at = shortestMatch(units, Buffer.from(text))
    if (at === undefined || at > texts.length) return undefined
    const end = texts.indexOf(0, at)
    return texts.toString('utf8', at, end < 0 ? texts.length : end)
  }
  const known = new Map<string, string>()
  const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
  const replaced = (grapheme: string): string => {
    const whole = Buffer.byteLength(grapheme) < MAX_GRAPHEME_BYTES ? find(grapheme) : undefined
    if (whole !== undefined) return whole
    return Array.from(grapheme, character => find(character) ?? character).join('')
  }
  return text => {
    let done = ''
    for (const { segment } of graphemes.segment(text)) {
      let normal = known.get(segment)
      if (normal === undefined) {
        normal = replaced(segment)
        if (known.size >= MAX_KNOWN) known.clear()
        if (segment.length <= MAX_KNOWN_UNITS) known.set(segment, normal)
      }
      done += normal
    }
    return done
  }
}

/** Returns the value of the shortest key in the trie that some bytes begin with. */
function shortestMatch(units: Uint32Array, bytes: Uint8Array): number | undefined {
  let node = offsetOf(units[0]!)
  for (const byte of bytes) {
    if (byte === 0) return undefined
    node ^= byte
    const unit = units[node]
    // The label of a unit, with the bit that marks values.
    if (unit === undefined || (unit & 0x8000_00ff) >>> 0 !== byte) return undefined
    node ^= offsetOf(unit)
    if ((unit >>> 8) & 1) {
      const value = units[node]
      return value === undefined ? undefined : value & 0x7fff_ffff
    }
  }
  return undefined
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6)
}
