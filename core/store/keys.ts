import type { StreamId } from '../segment/streams.ts'

/**
 * Keys of the store, version 1. The first byte names the kind; numbers are big-endian so that LevelDB's byte order is
 * numeric order, and everything of one segment lies together.
 */
const Kind = {
  identity: 0x69, // i
  manifest: 0x6d, // m
  segment: 0x73, // s  segment u32, stream u8, chunk u32
  supersession: 0x78, // x  segment u32, ordinal u32
  document: 0x64, // d  capture u32
  body: 0x62, // b  block u32
  url: 0x75, // u  URL
  alias: 0x61, // a  URL
} as const

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function numbered(kind: number, ...numbers: number[]): Uint8Array {
  const key = new Uint8Array(1 + 4 * numbers.length)
  const view = new DataView(key.buffer)
  key[0] = kind
  for (const [i, number] of numbers.entries()) view.setUint32(1 + 4 * i, number)
  return key
}

function named(kind: number, name: string): Uint8Array {
  const bytes = encoder.encode(name)
  const key = new Uint8Array(1 + bytes.length)
  key[0] = kind
  key.set(bytes, 1)
  return key
}

export const identityKey = Uint8Array.of(Kind.identity)
export const manifestKey = Uint8Array.of(Kind.manifest)
export const documentKey = (captureId: number): Uint8Array => numbered(Kind.document, captureId)
export const bodyKey = (block: number): Uint8Array => numbered(Kind.body, block)
export const urlKey = (url: string): Uint8Array => named(Kind.url, url)
export const aliasKey = (url: string): Uint8Array => named(Kind.alias, url)

export function chunkKey(segment: number, stream: StreamId, chunk: number): Uint8Array {
  const key = new Uint8Array(10)
  const view = new DataView(key.buffer)
  key[0] = Kind.segment
  view.setUint32(1, segment)
  key[5] = stream
  view.setUint32(6, chunk)
  return key
}

export const supersessionKey = (segment: number, ordinal: number): Uint8Array =>
  numbered(Kind.supersession, segment, ordinal)

/** `[from, to)` of every key of one kind. */
export interface KeyRange {
  gte: Uint8Array
  lt: Uint8Array
}

export const segmentRange = (segment: number): KeyRange => ({
  gte: numbered(Kind.segment, segment),
  lt: numbered(Kind.segment, segment + 1),
})
export const supersessionRange = (segment: number): KeyRange => ({
  gte: numbered(Kind.supersession, segment),
  lt: numbered(Kind.supersession, segment + 1),
})
export const everything: KeyRange = { gte: Uint8Array.of(0), lt: Uint8Array.of(0xff) }
export const allSegments: KeyRange = { gte: Uint8Array.of(Kind.segment), lt: Uint8Array.of(Kind.segment + 1) }
export const allSupersessions: KeyRange = {
  gte: Uint8Array.of(Kind.supersession),
  lt: Uint8Array.of(Kind.supersession + 1),
}
export const allAliases: KeyRange = { gte: Uint8Array.of(Kind.alias), lt: Uint8Array.of(Kind.alias + 1) }

/** The segment of a chunk key or a supersession key. */
export function segmentOfKey(key: Uint8Array): number {
  return new DataView(key.buffer, key.byteOffset).getUint32(1)
}

/** The ordinal of a supersession key. */
export function ordinalOfKey(key: Uint8Array): number {
  return new DataView(key.buffer, key.byteOffset).getUint32(5)
}

/** The URL of a URL key or an alias key. */
export function urlOfKey(key: Uint8Array): string {
  return decoder.decode(key.subarray(1))
}
