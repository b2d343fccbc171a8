import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'
import { bytesOf, textsAt } from '../../bytes/byte-string.ts'
import { AsofError } from '../../errors.ts'
import type { StoredFields } from '../../fields/field-values.ts'
import {
  type DatePrecision,
  type DateSource,
  datePrecisions,
  dateSources,
  type PageKind,
  type StructuredItem,
} from '../../page.ts'
import { readPacked, skipPacked, writePacked } from './packed.ts'
import { readTermVector, type TermVector } from './term-vector.ts'
import { applyEdits, encodeEdits, type PiecedText } from './text-edits.ts'

/** The part of a capture that ranking and results need. It is small, because it is read for every candidate. */
export interface DocumentRecord {
  url: string
  title: string
  /** The language in which the capture was analyzed: ISO 639-1, '' if it could not be detected. */
  language: string
}

/** The rest of a capture. */
export interface Body {
  details: BodyDetails
  markdown: string
  /** The plain text of the Markdown. Analysis and snippets use it. */
  text: string
}

export interface BodyDetails {
  author?: string
  description?: string
  lang?: string
  siteName?: string
  publishedFrom?: { source: DateSource; precision: DatePrecision }
  data?: StructuredItem[]
  kind?: PageKind
  fields?: StoredFields
}

const VERSION = 1

/**
 * Encodes a document record: version, URL, title, language, term vector. The texts come first, so that they can be read
 * without the vector.
 *
 * @param vector - written by `writeTermVector`.
 */
export function encodeDocument({ url, title, language }: DocumentRecord, vector: Uint8Array): Uint8Array {
  const writer = new ByteWriter(64 + vector.length + url.length + title.length)
  writer.u8(VERSION)
  writer.string(url)
  writer.string(title)
  writer.string(language)
  writer.raw(vector)
  return writer.finish()
}

/**
 * @param record - the bytes as a string, see `byteString`.
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeDocument(record: string): DocumentRecord {
  if (record.charCodeAt(0) !== VERSION) expectVersion(new ByteReader(bytesOf(record)), VERSION, 'document record')
  const [url, title, language] = textsAt(record, 1, 3)
  return { url: url!, title: title!, language: language! }
}

/**
 * Decodes only the term vector of a record.
 *
 * @param record - the bytes as a string, see `byteString`.
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeTermVector(record: string): TermVector {
  const reader = new ByteReader(bytesOf(record))
  expectVersion(reader, VERSION, 'document record')
  for (let strings = 3; strings > 0; strings--) reader.skip(reader.varint())
  return readTermVector(reader)
}

type Provenance = NonNullable<BodyDetails['publishedFrom']>

/** Number of precisions that the one-byte code of a provenance can have. It is part of the stored format. */
const PRECISIONS = 8

/** Encodes in one byte where a publish date was found and how precise it is; 0 if unknown. */
function codeOf(provenance: Provenance | undefined): number {
  if (!provenance) return 0
  return 1 + dateSources.indexOf(provenance.source) * PRECISIONS + datePrecisions.indexOf(provenance.precision)
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
function provenanceOf(code: number): Provenance | undefined {
  if (code === 0) return undefined
  const source = dateSources[Math.floor((code - 1) / PRECISIONS)]
  const precision = datePrecisions[(code - 1) % PRECISIONS]
  if (!source || !precision)
    throw new AsofError('ASOF_STORE_CORRUPT', `a publish date has the unknown provenance ${code}`)
  return { source, precision }
}

/**
 * Number of UTF-16 units of text that are compressed together. Nearly every page is one piece. Of a huge page, only the
 * pieces that a reader needs are decompressed.
 */
const PIECE_UNITS = 64 * 1024
/** Number of units at the end of a piece in which a space is looked for, so that the piece ends between two words. */
const WORD_UNITS = 1024

/**
 * Encodes a body: version, number of pieces, the compressed pieces of the text, and a compressed rest. The rest is the
 * provenance of the publish date in one byte (0: unknown), the other details as JSON ('' for none), and the edits that
 * turn the text into the Markdown. The text comes separately because snippets need nothing else.
 */
export function encodeBody({ details, markdown, text }: Body, out: ByteWriter): void {
  const pieces = piecesOf(text).map(piece => Buffer.from(piece))
  const rest = new ByteWriter(256)
  writeDetails(details, rest)
  rest.raw(encodeEdits(text, markdown))
  out.u8(VERSION)
  out.varint(pieces.length)
  for (const piece of pieces) writePacked(piece, out)
  writePacked(rest.bytes.subarray(0, rest.length), out, pieces.at(-1))
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeBody(bytes: Uint8Array): Body {
  const reader = bodyReader(bytes)
  const stored = new StoredText(reader)
  const texts = Array.from({ length: stored.count }, (_, index) => stored.piece(index))
  const rest = new ByteReader(readPacked(reader, stored.lastBytes()))
  const details = readDetails(rest)
  const markdown = applyEdits({ count: texts.length, piece: index => texts[index]! }, rest)
  return { details, text: texts.join(''), markdown }
}

/**
 * Decodes the details of a body and the first `units` UTF-16 units of its Markdown. Decompresses only the pieces that
 * are needed.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeBodyBeginning(bytes: Uint8Array, units: number): Omit<Body, 'text'> {
  const reader = bodyReader(bytes)
  const stored = new StoredText(reader)
  const rest = new ByteReader(readPacked(reader, stored.lastBytes()))
  const details = readDetails(rest)
  return { details, markdown: applyEdits(stored, rest, units) }
}

/** Writes the provenance of the publish date in one byte (0: unknown), then the other details as JSON ('' for none). */
export function writeDetails({ publishedFrom, ...others }: BodyDetails, out: ByteWriter): void {
  out.u8(codeOf(publishedFrom))
  const json = JSON.stringify(others)
  out.string(json === '{}' ? '' : json)
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function readDetails(reader: ByteReader): BodyDetails {
  const publishedFrom = provenanceOf(reader.u8())
  const others = reader.string()
  return { publishedFrom, ...(others !== '' && parseDetails(others)) }
}

/**
 * Returns the text of a body in pieces. A piece is decompressed when it is read.
 *
 * @throws ASOF_STORE_CORRUPT - at once, or when a piece is read.
 */
export function textPieces(bytes: Uint8Array): PiecedText {
  return new StoredText(bodyReader(bytes))
}

/**
 * Yields the text of a body, piece by piece.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function* decodeText(bytes: Uint8Array): Generator<string, void> {
  const text = textPieces(bytes)
  for (let index = 0; index < text.count; index++) yield text.piece(index)
}

/**
 * Returns the first piece of a body's text. `isWhole` is true if it is the only one.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeFirstText(bytes: Uint8Array): { first: string; isWhole: boolean } {
  const text = textPieces(bytes)
  return { first: text.count > 0 ? text.piece(0) : '', isWhole: text.count < 2 }
}

/** The text of a body in pieces. A piece is decompressed when it is read. */
class StoredText implements PiecedText {
  readonly #bytes: Uint8Array
  /** The offset of each compressed piece. */
  readonly #starts: number[] = []
  /** The decompressed last piece. It also serves as the dictionary for the rest after the text. */
  #last: Uint8Array | undefined

  /**
   * @param reader - positioned at the number of pieces. Afterwards it is at the end of the last piece.
   *
   * @throws ASOF_STORE_CORRUPT
   */
  constructor(reader: ByteReader) {
    this.#bytes = reader.bytes
    for (let pieces = reader.varint(); pieces > 0; pieces--) {
      this.#starts.push(reader.at)
      skipPacked(reader)
    }
  }

  get count(): number {
    return this.#starts.length
  }

  piece(index: number): string {
    return textOf(index === this.count - 1 ? this.lastBytes()! : this.#unpacked(index))
  }

  /** Returns the UTF-8 bytes of the last piece; undefined if there is none. */
  lastBytes(): Uint8Array | undefined {
    if (this.count > 0) this.#last ??= this.#unpacked(this.count - 1)
    return this.#last
  }

  #unpacked(index: number): Uint8Array {
    return readPacked(new ByteReader(this.#bytes, this.#starts[index]))
  }
}

function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += pieces[pieces.length - 1]!.length)
    pieces.push(text.slice(at, pieceEnd(text, at)))
  return pieces
}

function pieceEnd(text: string, start: number): number {
  const most = start + PIECE_UNITS
  if (most >= text.length) return text.length
  const last = text.slice(most - WORD_UNITS, most)
  const gap = Math.max(last.lastIndexOf(' '), last.lastIndexOf('\n'))
  if (gap >= 0) return most - WORD_UNITS + gap + 1
  // The cut must not split a surrogate pair, half of which cannot be written as UTF-8.
  return (text.codePointAt(most - 1) ?? 0) > 0xffff ? most - 1 : most
}

function bodyReader(bytes: Uint8Array): ByteReader {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'body')
  return reader
}

// `fatal` finds damage, because stored text is always valid UTF-8. `ignoreBOM` keeps a leading U+FEFF, which is part of
// the text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', "a body's text is not UTF-8", { cause })
  }
}

function parseDetails(json: string): BodyDetails {
  try {
    return JSON.parse(json) as BodyDetails
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', "a body's details are not JSON", { cause })
  }
}
