import { type TermChanges, termChanges } from '../../cluster/term-index.ts'
import { VarintCursor } from '../../core/bytes/varint-cursor.ts'
import { metadataFingerprint } from '../../core/history/metadata-fingerprint.ts'
import { fingerprintOf } from '../../core/ingest/analyze.ts'
import type { AnalyzedGroup } from '../../core/ingest/analyzed-group.ts'
import { GroupBuilder } from '../../core/ingest/group-builder.ts'
import { ANALYZER, bodyKey, documentKey, type IndexedCapture, urlKey } from '../../core/internal.ts'
import { packBodies } from '../../core/store/records/body-pack.ts'
import { type BodyDetails, encodeDocument } from '../../core/store/records/documents.ts'
import { encodeUrlRecord } from '../../core/store/records/url-record.ts'
import { plainText } from '../../core/text/markdown/plain-text.ts'
import { withAnalyzer } from '../../core/text/terms/analyzers.ts'
import type { BenchPage } from '../apparatus/page-file.ts'
import { type CapturedPages, LANG } from './captured-pages.ts'

type Occurrences = NonNullable<IndexedCapture['occurrences']>

/** Captures in the encodings of the write path. */
export interface EncodedCaptures {
  values: { key: Uint8Array; value: Uint8Array }[]
  captures: IndexedCapture[]
  changes: TermChanges
  /** Each term with the first instant at which one of the captures has it, epoch ms. */
  terms: Map<string, number>
}

/**
 * Encodes the captures from one number up to another one, exclusive. The analysis and all encodings are those of core, but no segment
 * is built, and nothing of earlier captures is read: the history of a URL is written whole with the last capture.
 */
export function encodeCaptures(pages: CapturedPages, from: number, to: number): EncodedCaptures {
  const all = pages.range(from, to)
  const group = analyzed(all)
  const { occurrences, firsts } = occurrencesIn(group)
  const values: EncodedCaptures['values'] = []
  const captures = all.map((page, i): IndexedCapture => {
    const { number, url, acquiredAt, publishedAt } = page
    const captureId = captureIdOf(number)
    const capture = group.captures[i]!
    const vector = group.vectors.subarray(capture.vectorStart, capture.vectorEnd)
    values.push({ key: documentKey(captureId), value: encodeDocument(capture, vector, 0) })
    const bytes = group.bodies.subarray(capture.bodyStart, capture.bodyEnd)
    for (const pack of packBodies([{ captureId, bytes }])) values.push({ key: bodyKey(captureId), value: pack.bytes })
    const supersededAt = pages.supersededAt(number)
    if (supersededAt === undefined) values.push({ key: urlKey(url), value: historyOf(pages, page) })
    return {
      ...{ captureId, url, acquiredAt, publishedAt, length: capture.length },
      ...{ supersededAt: supersededAt ?? Number.POSITIVE_INFINITY, occurrences: occurrences[i]! },
    }
  })
  const terms = new Map([...firsts].map(([term, i]) => [term, all[i]!.acquiredAt]))
  return { values, captures, changes: termChanges(captures, []), terms }
}

/** Captures are numbered in the order of their instants. */
const captureIdOf = (number: number): number => number + 1

function analyzed(pages: readonly BenchPage[]): AnalyzedGroup {
  return withAnalyzer(ANALYZER, () => {
    const builder = new GroupBuilder()
    for (const page of pages) {
      const { url, title, text: markdown, publishedAt } = page
      const capture = { url, title, aliases: [], fingerprint: '', metadata: '' }
      builder.add({ ...capture, publishedAt }, { details: detailsOf(page), markdown, text: plainText(markdown) })
    }
    return builder.finish()
  })
}

function detailsOf({ publishedAt }: BenchPage): BodyDetails {
  return {
    lang: LANG,
    publishedFrom: publishedAt === undefined ? undefined : { source: 'declared', precision: 'second' },
  }
}

/** The record of the URL of a page. */
function historyOf(pages: CapturedPages, last: BenchPage): Uint8Array {
  return encodeUrlRecord(
    pages.historyOf(last.number).map(number => {
      const page = number === last.number ? last : pages.page(number)
      const { title, text, publishedAt, acquiredAt: at } = page
      return {
        ...{ kind: 'capture', at, captureId: captureIdOf(number), declared: true },
        fingerprint: fingerprintOf(title, plainText(text)),
        metadata: metadataFingerprint({ publishedAt, details: detailsOf(page) }, { title, markdown: text }),
      }
    }),
  )
}

/** For each capture of a group its terms; and for each term the first capture that has it. */
function occurrencesIn({ captures, postings }: AnalyzedGroup): {
  occurrences: Occurrences[]
  firsts: Map<string, number>
} {
  const occurrences = captures.map((): Occurrences => new Map())
  const firsts = new Map<string, number>()
  const names = Buffer.from(postings.terms.buffer, postings.terms.byteOffset, postings.terms.length)
  const cursor = new VarintCursor(postings.postings)
  // Each position takes at least a byte.
  const positions = new Uint32Array(postings.postings.length)
  for (let t = 0, termStart = 0; t < postings.termEnds.length; t++) {
    const term = names.toString('utf8', termStart, postings.termEnds[t])
    termStart = postings.termEnds[t]!
    for (let index = -1; cursor.at < postings.postingEnds[t]!; ) {
      index += cursor.next() + 1
      if (!firsts.has(term)) firsts.set(term, index)
      const frequency = cursor.next() + 1
      const length = cursor.next()
      const end = cursor.at + length
      // The first byte is the next-word signature.
      if (length > 0) cursor.at++
      let count = 0
      for (let position = 0; cursor.at < end; positions[count++] = position) position += cursor.next()
      occurrences[index]!.set(term, { frequency, positions: positions.slice(0, count) })
    }
  }
  return { occurrences, firsts }
}
