import { isAscii, isUtf8 } from 'node:buffer'
import { CharsetDecoder, detectEncoding, isEncodingLabel } from '@asof/extract/internal'

/** Number of bytes from which the encoding is recognized, from the first one that is not ASCII on. */
const SAMPLE_BYTES = 64 * 1024
/** Takes the place of bytes that are no text. No text has this character (Unicode 23.7, "Noncharacters"). */
export const UNREADABLE = '\ufdd0'

/** Text in UTF-8, made from another encoding if need be. */
export interface Utf8Text {
  chunks: AsyncGenerator<Uint8Array>
  /** The encoding of the source, for errors. Known after the first chunk that is not ASCII. */
  encoding: () => string
}

/**
 * Converts text to UTF-8. The encoding is that of the byte order mark, or is recognized as that of a page without a declared one is. Bytes
 * that are no text become {@link UNREADABLE}. Memory does not grow with the text.
 */
export function inUtf8(source: AsyncIterable<Uint8Array>): Utf8Text {
  let encoding = 'utf-8'
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const samples = samplesOf(source)
    let known: CharsetDecoder | undefined
    let isFirst = true
    let rest = Buffer.alloc(0)
    for await (const sample of samples) {
      if (!known && !(isAscii(sample) && (!isFirst || !hasUnits(sample)))) {
        encoding = encodingOf(sample, isFirst)
        known = new CharsetDecoder(encoding)
      }
      isFirst = false
      if (!known) yield sample
      else if (encoding !== 'utf-8') yield converted(known.decode(sample, { stream: true }), encoding)
      else {
        const joined =
          rest.length > 0 ? Buffer.concat([rest, sample]) : Buffer.from(sample.buffer, sample.byteOffset, sample.length)
        const whole = joined.subarray(0, joined.length - cutBytes(joined))
        rest = Buffer.from(joined.subarray(whole.length))
        yield checked(whole)
      }
    }
    if (known && encoding !== 'utf-8') yield converted(known.decode(), encoding)
    else if (rest.length > 0) yield checked(rest)
  }
  return { chunks: chunks(), encoding: () => encoding }
}

/** Yields the source in pieces that are large enough to recognize the encoding, except for the last. */
async function* samplesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    parts.push(chunk)
    size += chunk.length
    if (size < SAMPLE_BYTES) continue
    yield Buffer.concat(parts, size)
    parts = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(parts, size)
}

/** True if text may be UTF-16, whose Western text is ASCII with zero bytes, or ISO-2022, which is ASCII with escape sequences. */
function hasUnits(sample: Uint8Array): boolean {
  return sample.includes(0) || sample.includes(0x1b)
}

function encodingOf(sample: Uint8Array, isFirst: boolean): string {
  if (isFirst && sample[0] === 0xff && sample[1] === 0xfe) return 'utf-16le'
  if (isFirst && sample[0] === 0xfe && sample[1] === 0xff) return 'utf-16be'
  const whole = sample.subarray(0, sample.length - cutBytes(sample))
  if (isMostlyUtf8(whole)) return isFirst && hasUnits(whole) ? detectEncoding(whole) : 'utf-8'
  const guess = detectEncoding(isFirst && hasUnits(sample) ? sample : wordsNotAscii(sample))
  return isEncodingLabel(guess) ? new TextDecoder(guess).encoding : 'windows-1252'
}

/**
 * Returns the words that are not ASCII. URLs and numbers, of which tables are full, make the statistics of a language worse. The characters
 * between words are no part of a character in any encoding of several bytes.
 */
function wordsNotAscii(sample: Uint8Array): Uint8Array {
  const words = Buffer.from(sample.buffer, sample.byteOffset, sample.length)
    .toString('latin1')
    .split(/[\t\n\r ",;]+/)
  return Buffer.from(words.filter(word => /[\x80-\xff]/.test(word)).join(' '), 'latin1')
}

/** True for UTF-8 with some wrong bytes. Text in other encodings has hardly any character of several bytes that UTF-8 has too. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return true
  const wrong = new TextDecoder().decode(bytes).match(/[^\0-\x7f]/g) ?? []
  return wrong.filter(char => char === '\ufffd').length * 2 < wrong.length
}

/** Returns the number of bytes at the end that begin a character of UTF-8 without ending it: at most 3. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}

/** Marks the wrong bytes of UTF-8, line by line, so that U+FFFD in the lines without any stays. */
function checked(bytes: Buffer): Uint8Array {
  if (isUtf8(bytes)) return bytes
  const lines: Uint8Array[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from) + 1 || bytes.length
    const line = bytes.subarray(from, end)
    lines.push(isUtf8(line) ? line : Buffer.from(new TextDecoder().decode(line).replaceAll('\ufffd', UNREADABLE)))
    from = end
  }
  return Buffer.concat(lines)
}

/** Marks what is no text. The Encoding Standard gives a control character to each byte that a Windows code page leaves out. */
function converted(text: string, encoding: string): Uint8Array {
  const wrong = encoding.startsWith('windows-') ? /[\ufffd\x80-\x9f]/g : /\ufffd/g
  return Buffer.from(text.replace(wrong, UNREADABLE))
}
