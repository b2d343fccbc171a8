import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'
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
import { readPacked, writePacked } from './packed.ts'
import { readTermVector, skipTermVector, type TermVector } from './term-vector.ts'
import { applyEdits, encodeEdits } from './text-edits.ts'

/** The part of a capture that ranking and result lists need, small enough to be read for every candidate. */
export interface DocumentRecord {
  url: string
  title: string
  /** The language in which it was analyzed: ISO 639-1, '' if it could not be detected. */
  language: string
}

/** The rest of a capture. */
export interface Body {
  details: BodyDetails
  markdown: string
  /** The Markdown as plain text, which was analyzed, and which snippets are made of. */
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
 * Encodes a document record: version, term vector, URL, title, language.
 *
 * @param vector - written by `writeTermVector`.
 */
export function encodeDocument({ url, title, language }: DocumentRecord, vector: Uint8Array): Uint8Array {
  const writer = new ByteWriter(64 + vector.length + url.length + title.length)
  writer.u8(VERSION)
  writer.raw(vector)
  writer.string(url)
  writer.string(title)
  writer.string(language)
  return writer.finish()
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeDocument(bytes: Uint8Array): DocumentRecord {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'document record')
  skipTermVector(reader)
  return { url: reader.string(), title: reader.string(), language: reader.string() }
}

/**
 * The term vector of a record alone.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeTermVector(bytes: Uint8Array): TermVector {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'document record')
  return readTermVector(reader)
}

type Provenance = NonNullable<BodyDetails['publishedFrom']>

/** Number of precisions that the code of a provenance has room for; part of the stored format. */
const PRECISIONS = 8

/** The provenance of a publish date in one byte; 0 if unknown. */
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
 * UTF-16 units of text that are compressed together. Nearly every page is one piece. Of a huge page, only the pieces that
 * are needed are decompressed.
 */
const PIECE_UNITS = 64 * 1024
/** A piece ends between two words if there is a gap in its last units: this many. */
const WORD_UNITS = 1024

/**
 * Encodes a body: version, number of pieces of the text, each piece compressed, and the rest, also compressed. The rest is
 * the provenance of the publish date in one byte (0: unknown), the other details as JSON ('' if there are none), and the
 * edits that turn the text into the Markdown. The text is separate because every snippet reads it, and it alone.
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
  let text = ''
  let last: Uint8Array | undefined
  for (let pieces = reader.varint(); pieces > 0; pieces--) {
    last = readPacked(reader)
    text += textOf(last)
  }
  const rest = new ByteReader(readPacked(reader, last))
  const details = readDetails(rest)
  return { details, text, markdown: applyEdits(text, rest) }
}

/** Writes the provenance of the publish date in one byte (0: unknown), then the other details as JSON ('' for none). */
export function writeDetails({ publishedFrom, ...others }: BodyDetails, out: ByteWriter): void {
  out.u8(codeOf(publishedFrom))
  out.string(Object.keys(others).length > 0 ? JSON.stringify(others) : '')
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function readDetails(reader: ByteReader): BodyDetails {
  const publishedFrom = provenanceOf(reader.u8())
  const others = reader.string()
  return { ...(publishedFrom && { publishedFrom }), ...(others !== '' && parsedDetails(others)) }
}

/**
 * The text of a body, piece by piece.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function* decodeText(bytes: Uint8Array): Generator<string, void> {
  const reader = bodyReader(bytes)
  for (let pieces = reader.varint(); pieces > 0; pieces--) yield textOf(readPacked(reader))
}

/**
 * The first piece of a body's text; `isWhole` is true if there are no others.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeFirstText(bytes: Uint8Array): { first: string; isWhole: boolean } {
  const reader = bodyReader(bytes)
  const pieces = reader.varint()
  return { first: pieces > 0 ? textOf(readPacked(reader)) : '', isWhole: pieces < 2 }
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
  // UTF-8 cannot represent half a surrogate pair.
  return (text.codePointAt(most - 1) ?? 0) > 0xffff ? most - 1 : most
}

function bodyReader(bytes: Uint8Array): ByteReader {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'body')
  return reader
}

// What was written is always valid UTF-8, and a leading U+FEFF is part of the text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', "a body's text is not UTF-8", { cause })
  }
}

function parsedDetails(json: string): BodyDetails {
  try {
    return JSON.parse(json) as BodyDetails
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', "a body's details are not JSON", { cause })
  }
}
