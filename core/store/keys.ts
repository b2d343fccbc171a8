import { Stream, type StreamId } from '../segment/streams.ts'

/**
 * The kinds of values in the store, format 1. The kind is the first byte of a key. Numbers in keys are
 * big-endian, so that keys sort by number and all values of a segment are adjacent.
 */
const Kind = {
  identity: 0x69, // i
  manifest: 0x6d, // m
  segment: 0x73, // s  segment u32, stream u8, chunk u32
  supersession: 0x78, // x  segment u32, ordinal u32
  document: 0x64, // d  capture u32
  body: 0x62, // b  first capture of the pack u32
  url: 0x75, // u  URL
  alias: 0x61, // a  URL
  claim: 0x72, // r  URL, 0, instant i64, alias
  waste: 0x77, // w
  vector: 0x76, // v  capture u32, model u32
  models: 0x65, // e
  revision: 0x6e, // n  revision u32
  revisionRows: 0x6f, // o  capture u32
  relevance: 0x67, // g  version u32
} as const

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function numberedKey(kind: number, ...numbers: number[]): Uint8Array {
  const key = new Uint8Array(1 + 4 * numbers.length)
  key[0] = kind
  let at = 1
  // Bytes are written one by one, because creating a DataView takes longer.
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!
    key[at++] = number >>> 24
    key[at++] = number >>> 16
    key[at++] = number >>> 8
    key[at++] = number
  }
  return key
}

function namedKey(kind: number, name: string): Uint8Array {
  const bytes = encoder.encode(name)
  const key = new Uint8Array(1 + bytes.length)
  key[0] = kind
  key.set(bytes, 1)
  return key
}

export const identityKey = Uint8Array.of(Kind.identity)
export const manifestKey = Uint8Array.of(Kind.manifest)
/** Return the keys of the document and of the body of a capture, and of the history of a URL. */
export const documentKey = (captureId: number): Uint8Array => numberedKey(Kind.document, captureId)
export const bodyKey = (captureId: number): Uint8Array => numberedKey(Kind.body, captureId)
export const urlKey = (url: string): Uint8Array => namedKey(Kind.url, url)
export const aliasKey = (url: string): Uint8Array => namedKey(Kind.alias, url)
/** A statement that an alias led to a URL at an instant. */
export interface ClaimOfUrl {
  url: string
  /** Epoch ms. */
  at: number
  alias: string
}

/**
 * Returns the key of a claim. Each claim has a key of its own, so the claims of a URL can be read in the order of instant
 * and alias, starting at any of them. {@link aliasKey} serves the other direction. A zero byte ends the URL, since no URL contains one.
 */
export function claimKey({ url, at, alias }: ClaimOfUrl): Uint8Array {
  const start = namedKey(Kind.claim, `${url}\0`)
  const end = encoder.encode(alias)
  const key = new Uint8Array(start.length + INSTANT_BYTES + end.length)
  key.set(start)
  const view = new DataView(key.buffer, start.length)
  const high = Math.floor(at / 2 ** 32)
  // Adding 2^31 makes negative instants, which are before 1970, sort first.
  view.setUint32(0, high + 2 ** 31)
  view.setUint32(4, at - high * 2 ** 32)
  key.set(end, start.length + INSTANT_BYTES)
  return key
}

const INSTANT_BYTES = 8
/** Returns the key of the vector that an embeddings model computed for a capture. */
export const vectorKey = (captureId: number, model: number): Uint8Array => numberedKey(Kind.vector, captureId, model)
/** Returns the key of the metadata of a revision. */
export const revisionKey = (revisionId: number): Uint8Array => numberedKey(Kind.revision, revisionId)
/** Returns the key of a capture's revision rows, by which searches filter its revisions. */
export const revisionRowsKey = (captureId: number): Uint8Array => numberedKey(Kind.revisionRows, captureId)
/** Returns the key of a version of the relevance of the index. Versions count from 1. */
export const relevanceKey = (version: number): Uint8Array => numberedKey(Kind.relevance, version)
/** The key of the list of instants from which the versions of the relevance apply. */
export const relevanceInstantsKey = Uint8Array.of(Kind.relevance)
/** The key of the list of models that computed vectors. */
export const modelsKey = Uint8Array.of(Kind.models)
/** The key of the list of key ranges whose deleted values still take space on disk. */
export const wasteKey = Uint8Array.of(Kind.waste)

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
  numberedKey(Kind.supersession, segment, ordinal)

/** The keys from `gte` (included) to `lt` (excluded). */
export interface KeyRange {
  gte: Uint8Array
  lt: Uint8Array
}

export const segmentRange = (segment: number): KeyRange => ({
  gte: numberedKey(Kind.segment, segment),
  lt: numberedKey(Kind.segment, segment + 1),
})
export const supersessionRange = (segment: number): KeyRange => ({
  gte: numberedKey(Kind.supersession, segment),
  lt: numberedKey(Kind.supersession, segment + 1),
})
export const documentRange = (captureId: number): KeyRange => ({
  gte: documentKey(captureId),
  lt: documentKey(captureId + 1),
})
export const bodyRange = (captureId: number): KeyRange => ({ gte: bodyKey(captureId), lt: bodyKey(captureId + 1) })
export const revisionRange = (revisionId: number): KeyRange => ({
  gte: revisionKey(revisionId),
  lt: revisionKey(revisionId + 1),
})
export const vectorRange = (captureId: number): KeyRange => ({
  gte: numberedKey(Kind.vector, captureId),
  lt: numberedKey(Kind.vector, captureId + 1),
})
/** Returns the bytes with which a claim's key begins if its URL begins with `prefix`. */
export const claimPrefix = (prefix: string): Uint8Array => namedKey(Kind.claim, prefix)
/** Returns the key range of the claims of a URL. */
export const claimsOf = (url: string): KeyRange => ({
  gte: namedKey(Kind.claim, `${url}\0`),
  lt: namedKey(Kind.claim, `${url}\x01`),
})
export const allKeys: KeyRange = { gte: Uint8Array.of(0), lt: Uint8Array.of(0xff) }
const ofKind = (kind: number): KeyRange => ({ gte: Uint8Array.of(kind), lt: Uint8Array.of(kind + 1) })
export const allSegments = ofKind(Kind.segment)
export const allSupersessions = ofKind(Kind.supersession)
export const allDocuments = ofKind(Kind.document)
export const allBodies = ofKind(Kind.body)
export const allUrls = ofKind(Kind.url)
export const allAliases = ofKind(Kind.alias)
export const allClaims = ofKind(Kind.claim)
export const allVectors = ofKind(Kind.vector)
export const allRevisions = ofKind(Kind.revision)
export const allRevisionRows = ofKind(Kind.revisionRows)
export const allRelevance = ofKind(Kind.relevance)
/** A key that is greater than all others. */
export const BEYOND_ALL = Uint8Array.of(0xff)

/** Returns a key between `key` and the next smaller key. The store never uses such a key. */
export function justBelow(key: Uint8Array): Uint8Array {
  const below = new Uint8Array(key.length + 1)
  below.set(key)
  for (let i = key.length - 1; below[i]!-- === 0; ) i--
  below[key.length] = 0xff
  return below
}

const ofPages: readonly number[] = [
  Kind.document,
  Kind.body,
  Kind.url,
  Kind.alias,
  Kind.claim,
  Kind.revision,
  Kind.revisionRows,
  Kind.vector,
]

/** True for the values of pages: their histories, contents and vectors, from which segments and supersessions can be made. */
export function isOfPages(key: Uint8Array): boolean {
  return ofPages.includes(key[0]!)
}

/** True for the key of the history of a URL. */
export function isUrl(key: Uint8Array): boolean {
  return key[0] === Kind.url
}

/** The key ranges of all values outside segments, except the identity and the manifest. */
export const outsideSegments: readonly KeyRange[] = [
  ofKind(Kind.document),
  ofKind(Kind.body),
  allUrls,
  allAliases,
  allClaims,
  allVectors,
  ofKind(Kind.models),
  allRevisions,
  allRevisionRows,
  allRelevance,
]

/** Returns the first number in a key: of a segment, a capture or a revision, depending on the kind. */
export function firstNumberOfKey(key: Uint8Array): number {
  return new DataView(key.buffer, key.byteOffset).getUint32(1)
}

/** Returns the second number in a key: the ordinal of a supersession, or the model of a vector. */
export function secondNumberOfKey(key: Uint8Array): number {
  return new DataView(key.buffer, key.byteOffset).getUint32(5)
}

/** Decodes a key that {@link claimKey} made. */
export function claimOfKey(key: Uint8Array): ClaimOfUrl {
  const end = key.indexOf(0)
  const view = new DataView(key.buffer, key.byteOffset + end + 1)
  return {
    url: decoder.decode(key.subarray(1, end)),
    at: (view.getUint32(0) - 2 ** 31) * 2 ** 32 + view.getUint32(4),
    alias: decoder.decode(key.subarray(end + 1 + INSTANT_BYTES)),
  }
}

/** Returns the URL, as bytes, in a key that {@link claimKey} made. */
export function urlOfClaim(key: Uint8Array): Uint8Array {
  return key.subarray(1, key.indexOf(0))
}

/** Returns the URL in a URL key or an alias key. */
export function urlOfKey(key: Uint8Array): string {
  return decoder.decode(key.subarray(1))
}

const kindNames: Readonly<Record<number, string>> = {
  [Kind.identity]: 'the identity of the store',
  [Kind.manifest]: 'the manifest',
  [Kind.segment]: 'a chunk of a segment',
  [Kind.supersession]: 'a supersession',
  [Kind.document]: 'the record of a capture',
  [Kind.body]: 'the body of a capture',
  [Kind.url]: 'a URL record',
  [Kind.alias]: 'an alias',
  [Kind.claim]: 'an alias of a URL',
  [Kind.waste]: 'the note of waste',
  [Kind.vector]: 'the vector of a capture',
  [Kind.models]: 'the list of models',
  [Kind.revision]: 'a revision',
  [Kind.revisionRows]: 'the revisions of a capture',
  [Kind.relevance]: 'a version of the relevance',
}

/** Kinds of values to which no other value refers. Nothing else shows that such a value is lost. */
const unreferenced = [
  Kind.alias,
  Kind.identity,
  Kind.manifest,
  Kind.claim,
  Kind.url,
  Kind.waste,
  Kind.supersession,
  Kind.vector,
  Kind.models,
  Kind.revisionRows,
  Kind.relevance,
] as const

/** True if a key whose first byte is from `from` through `to` may be that of a value to which no other value refers. */
export function mayHoldUnreferenced(from: number, to: number): boolean {
  return unreferenced.some(kind => from <= kind && kind <= to)
}

const sources: readonly number[] = [
  Kind.identity,
  Kind.manifest,
  Kind.supersession,
  Kind.document,
  Kind.body,
  Kind.url,
  Kind.alias,
  Kind.claim,
  Kind.vector,
  Kind.models,
  Kind.revision,
  Kind.relevance,
]

/**
 * True for a value that a repair must copy, because it may not be computable from others. Alias claims can be computed
 * from the records of aliases, but these may be lost.
 */
export function isIrreplaceable(key: Uint8Array): boolean {
  return sources.includes(key[0]!) || (key[0] === Kind.segment && key[5] === Stream.columns)
}

/** Describes a key for messages: its kind, and its number or URL. */
export function describeKey(key: Uint8Array): string {
  const kind = kindNames[key[0]!] ?? 'a value of unknown kind'
  if (key[0] === Kind.url || key[0] === Kind.alias) return `${kind} (${urlOfKey(key)})`
  if (key[0] === Kind.claim) {
    const { url, alias } = claimOfKey(key)
    return `${kind} (${url} ${alias})`
  }
  return key.length < 5 ? kind : `${kind} (${firstNumberOfKey(key)})`
}
