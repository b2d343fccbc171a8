import { AsofError } from '@asof/extract/errors'
import {
  type DatePrecision,
  type DateSource,
  datePrecisions,
  dateSources,
  type PageKind,
  type StructuredItem,
} from '@asof/extract/page'
import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'
import { parseFields, type StoredFields } from '../../fields/field-values.ts'
import { readTermVector, type TermVector } from '../../segment/term-vector.ts'
import { WordOffsets } from '../../text/terms/word-offsets.ts'
import { applyEdits, encodeEdits, type PiecedText } from './text-edits.ts'

/** The part of a capture that ranking and results need. It is small, because it is read for every candidate. */
export interface DocumentRecord {
  url: string
  title: string
  /** The language in which the capture was analyzed: ISO 639-1, '' if it could not be detected. */
  language: string
  /** The fields, as `writeFields` wrote them. */
  values: string
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

/** Offset of the texts in a document record. */
const TEXTS_AT = 2

/**
 * Encodes a document record: version, distance from the pack of the body, URL, title, language, fields, term vector. The
 * texts come before the vector, so that they can be read without it.
 *
 * @param vector - written by `writeTermVector`.
 * @param afterPack - distance of the capture's number from that of the pack with its body; at most 255.
 */
export function encodeDocument(
  { url, title, language, values }: DocumentRecord,
  vector: Uint8Array,
  afterPack: number,
): Uint8Array {
  const writer = new ByteWriter(64 + vector.length + url.length + title.length + values.length)
  writer.u8(VERSION)
  writer.u8(afterPack)
  writer.string(url)
  writer.string(title)
  writer.string(language)
  writer.string(values)
  writer.raw(vector)
  return writer.finish()
}

/** A document record without its term vector. */
export interface DocumentHead {
  texts: DocumentRecord
  /** Distance of the number of the capture from that of the pack with its body. */
  afterPack: number
}

/**
 * Decodes a document record without its term vector.
 *
 * @param bytes - that {@link encodeDocument} returned.
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeHead(bytes: Uint8Array): DocumentHead {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'document record')
  const afterPack = reader.u8()
  const texts = { url: reader.string(), title: reader.string(), language: reader.string(), values: reader.string() }
  return { afterPack, texts }
}

/**
 * Decodes only the term vector of a document record.
 *
 * @param bytes - that {@link encodeDocument} returned.
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeTermVector(bytes: Uint8Array): TermVector {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'document record')
  reader.at = TEXTS_AT
  for (let strings = 4; strings > 0; strings--) reader.skip(reader.varint())
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
 * Number of UTF-16 units in a piece of text. Nearly every page is one piece. Of a huge page, only the pieces that a
 * reader needs are decompressed.
 */
const PIECE_UNITS = 64 * 1024
/** Number of units at the end of a piece in which a space is looked for, so that the piece ends between two words. */
const WORD_UNITS = 1024

/** The sizes of the parts of a body, bytes. */
export interface BodySizes {
  /** Size of each piece of the text. */
  pieces: number[]
  rest: number
  /** Undefined for a text in one piece, and if the words can't be counted. */
  counts: PieceCounts | undefined
}

/** The lengths of the pieces of a text. They say in which piece the word at a position is. */
export interface PieceCounts {
  /** Number of UTF-16 units of each piece. */
  units: readonly number[]
  /** Number of words of each piece, as {@link WordOffsets} counts them. */
  words: readonly number[]
  /** True if a word of the text may be spelled out, see {@link WordOffsets}. */
  hasSpelledOut: boolean
}

/** The parts of a body. Each can be read without the others. */
export interface BodyParts {
  /** Number of pieces of the text. */
  count: number
  counts: PieceCounts | undefined
  /** Returns a piece in UTF-8. @throws ASOF_STORE_CORRUPT */
  piece(index: number): Uint8Array
  /** @throws ASOF_STORE_CORRUPT */
  rest(): Uint8Array
}

/**
 * Encodes a body: the sizes of its parts (varint number of pieces of the text, varint bytes of each piece, varint bytes
 * of the rest, for several pieces also {@link PieceCounts}), then the parts. The rest is the provenance of the publish date in one byte (0: unknown), the other
 * details as JSON ('' for none), and the edits that turn the text into the Markdown. The text comes separately because
 * snippets need nothing else. The fields are not part of it: they are in the document record, since results show them.
 */
export function encodeBody({ details, markdown, text }: Body, out: ByteWriter): void {
  const pieces = piecesOf(text)
  const { fields: _, ...others } = details
  rest.clear()
  writeDetails(others, rest)
  rest.raw(encodeEdits(text, markdown))
  const sizes = pieces.map(piece => Buffer.byteLength(piece))
  writeSizes({ pieces: sizes, rest: rest.length, counts: pieces.length > 1 ? countsOf(pieces) : undefined }, out)
  for (const piece of pieces) out.utf8(piece)
  out.raw(rest.bytes.subarray(0, rest.length))
}

/** The memory in which the rest of a body is encoded. */
const rest = new ByteWriter(1024)

/** Counts the words of a text in several pieces. Undefined if a part is in a script without spaces, or if a piece may end inside a word. */
function countsOf(pieces: readonly string[]): PieceCounts | undefined {
  const words: WordOffsets[] = []
  for (const [index, piece] of pieces.entries()) {
    const found = WordOffsets.of(piece)
    if (!found || (index < pieces.length - 1 && !endsWithSpace(piece))) return undefined
    words.push(found)
  }
  return {
    units: pieces.map(({ length }) => length),
    words: words.map(({ count }) => count),
    hasSpelledOut: words.some(({ hasSpelledOut }) => hasSpelledOut),
  }
}

function endsWithSpace(piece: string): boolean {
  return piece.endsWith(' ') || piece.endsWith('\n')
}

/**
 * Writes sizes: see {@link encodeBody}. The counts are 0 for none, or 1, or 2 if a word may be spelled out, followed by the units and the words
 * of each piece.
 */
export function writeSizes({ pieces, rest, counts }: BodySizes, out: ByteWriter): void {
  out.varint(pieces.length)
  for (const size of pieces) out.varint(size)
  out.varint(rest)
  if (pieces.length < 2) return
  out.varint(counts ? (counts.hasSpelledOut ? 2 : 1) : 0)
  if (counts) for (const count of [...counts.units, ...counts.words]) out.varint(count)
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function readSizes(reader: ByteReader): BodySizes {
  const pieces = readVarints(reader, reader.varint())
  const rest = reader.varint()
  const kind = pieces.length < 2 ? 0 : reader.varint()
  if (kind === 0) return { pieces, rest, counts: undefined }
  const units = readVarints(reader, pieces.length)
  return { pieces, rest, counts: { units, words: readVarints(reader, pieces.length), hasSpelledOut: kind === 2 } }
}

function readVarints(reader: ByteReader, count: number): number[] {
  const values: number[] = []
  for (let left = count; left > 0; left--) values.push(reader.varint())
  return values
}

/**
 * Returns the parts of a body that {@link encodeBody} wrote.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function encodedParts(bytes: Uint8Array): BodyParts {
  const reader = new ByteReader(bytes)
  const { pieces, rest, counts } = readSizes(reader)
  const parts = [...pieces, rest].map(size => reader.raw(size))
  return { count: pieces.length, counts, piece: index => parts[index]!, rest: () => parts[pieces.length]! }
}

/**
 * @param values - the fields of the capture, from its document record.
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeStoredBody(parts: BodyParts, values: string): Body {
  const texts = Array.from({ length: parts.count }, (_, index) => decodePiece(parts.piece(index)))
  const reader = new ByteReader(parts.rest())
  const details = { ...readDetails(reader), ...fieldsIn(values) }
  const markdown = applyEdits({ count: texts.length, piece: index => texts[index]! }, reader)
  return { details, text: texts.join(''), markdown }
}

/**
 * Decodes the details of a body and the first `units` UTF-16 units of its Markdown. Reads only the pieces of the text
 * that are needed.
 *
 * @param values - the fields of the capture, from its document record.
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeBodyBeginning(parts: BodyParts, values: string, units: number): Omit<Body, 'text'> {
  const reader = new ByteReader(parts.rest())
  const details = { ...readDetails(reader), ...fieldsIn(values) }
  const text = { count: parts.count, piece: (index: number) => decodePiece(parts.piece(index)) }
  return { details, markdown: applyEdits(text, reader, units) }
}

/**
 * Decodes the Markdown of a body.
 *
 * @param rest - what the body has besides the text.
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeMarkdown(text: PiecedText, rest: Uint8Array): string {
  const reader = new ByteReader(rest)
  // The details are not decoded.
  reader.u8()
  reader.skip(reader.varint())
  return applyEdits(text, reader)
}

function fieldsIn(values: string): Pick<BodyDetails, 'fields'> {
  return values === '' ? {} : { fields: parseFields(values) }
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
  return others === '' ? { publishedFrom } : { publishedFrom, ...parseDetails(others) }
}

/**
 * Yields the text of a body, piece by piece.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function* decodeText(parts: BodyParts): Generator<string, void> {
  for (let index = 0; index < parts.count; index++) yield decodePiece(parts.piece(index))
}

/**
 * Returns the first piece of a body's text; '' if it has none.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeFirstText(parts: BodyParts): string {
  return parts.count > 0 ? decodePiece(parts.piece(0)) : ''
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

// `fatal` finds damage, because stored text is always valid UTF-8. `ignoreBOM` keeps a leading U+FEFF, which is part of
// the text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a piece of a text.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function decodePiece(bytes: Uint8Array): string {
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
