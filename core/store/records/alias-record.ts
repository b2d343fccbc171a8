import { AsofError } from '@asof/extract/errors'
import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'
import { readDifference, writeDifference } from './instant-difference.ts'

/** A statement that an alias led to a URL at an instant. */
export interface AliasClaim {
  /** Epoch ms. */
  at: number
  url: string
}

/** The claims of one alias, sorted by instant and then URL, whatever their order of arrival. */
export type AliasRecord = AliasClaim[]

const VERSION = 1

/** Encodes an alias record: version, the distinct URLs, then for each claim its instant and the index of its URL. */
export function encodeAliasRecord(record: AliasRecord): Uint8Array {
  const urls = [...new Set(record.map(({ url }) => url))]
  const numbers = new Map(urls.map((url, number) => [url, number]))
  const writer = new ByteWriter(64 + record.length * 8)
  writer.u8(VERSION)
  writer.varint(urls.length)
  for (const url of urls) writer.string(url)
  writer.varint(record.length)
  let previous = 0
  for (const { at, url } of record) {
    writeDifference(at - previous, writer)
    previous = at
    writer.varint(numbers.get(url) as number)
  }
  return writer.finish()
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeAliasRecord(bytes: Uint8Array): AliasRecord {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'alias record')
  const urls: string[] = []
  for (let n = reader.varint(); n > 0; n--) urls.push(reader.string())
  const record: AliasRecord = []
  let at = 0
  for (let n = reader.varint(); n > 0; n--) {
    at += readDifference(reader)
    const url = urls[reader.varint()]
    if (url === undefined) throw new AsofError('ASOF_STORE_CORRUPT', 'an alias record names a URL that it lacks')
    record.push({ at, url })
  }
  return record
}

/** Adds claims to a record. Ignores claims that the record already has. */
export function withClaims(record: AliasRecord, claims: readonly AliasClaim[]): AliasRecord {
  const all = [...record, ...claims].sort((a, b) => a.at - b.at || (a.url < b.url ? -1 : a.url > b.url ? 1 : 0))
  return all.filter(({ at, url }, i) => i === 0 || all[i - 1]!.at !== at || all[i - 1]!.url !== url)
}

/**
 * Returns the URL that the alias led to at an instant. If there are several claims for one millisecond, the greatest
 * URL wins.
 */
export function targetAt(record: AliasRecord, instant: number): string | undefined {
  return record.findLast(({ at }) => at <= instant)?.url
}
