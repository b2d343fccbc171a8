import { type TermChanges, termDocument } from '../../cluster/terms/term-changes.ts'
import { AND, termsTextOf } from '../../cluster/terms/terms-text.ts'
import { fieldOfTerm } from '../../core/fields/field-terms.ts'
import { metadataFingerprint } from '../../core/history/metadata-fingerprint.ts'
import { fingerprintOf } from '../../core/ingest/analyze.ts'
import type { AnalyzedCapture, AnalyzedGroup } from '../../core/ingest/analyzed-group.ts'
import { GroupBuilder } from '../../core/ingest/group-builder.ts'
import type { IndexedCapture } from '../../core/partial/partial-index.ts'
import { occurrencesIn, type TermOccurrences } from '../../core/partial/term-occurrences.ts'
import { bodyKey, documentKey, urlKey } from '../../core/store/keys.ts'
import { packBodies } from '../../core/store/records/body-pack.ts'
import { type BodyDetails, encodeDocument } from '../../core/store/records/documents.ts'
import { encodeUrlRecord } from '../../core/store/records/url-record.ts'
import { ANALYZER, withAnalyzer } from '../../core/text/languages/analyzers.ts'
import { plainText } from '../../core/text/markdown/plain-text.ts'
import type { BenchPage } from '../apparatus/page-file.ts'
import { BLOCK, type CapturedPages, LANG } from './captured-pages.ts'

/** Captures in the encodings of the write path. */
export interface EncodedCaptures {
  values: { key: Uint8Array; value: Uint8Array }[]
  captures: Omit<IndexedCapture, 'occurrences'>[]
  changes: TermChanges
  /** Each term with the first instant at which one of the captures has it, epoch ms. */
  terms: Map<string, number>
}

/** What the captures with one text have in common. */
interface EncodedText {
  page: BenchPage
  analyzed: AnalyzedCapture
  vector: Uint8Array
  /** The body as it is stored. It does not contain the number of its capture. */
  body: Uint8Array
  fingerprint: string
  /** The text of the term index without the values of fields. */
  terms: ReturnType<typeof termsTextOf>
}

/** A block of {@link BLOCK} texts. */
interface EncodedTexts {
  /** The number of the first text. */
  from: number
  encoded: EncodedText[]
  /** For each term, the index in {@link encoded} of the first text that has it. */
  firsts: Map<string, number>
}

/**
 * Encodes captures. The analysis and all encodings are those of core, but no segment is built, and no stored history is read: the whole
 * history of a URL is written with its last capture.
 */
export class CaptureEncoder {
  readonly #pages: CapturedPages
  #texts: EncodedTexts = { from: -1, encoded: [], firsts: new Map() }

  constructor(pages: CapturedPages) {
    this.#pages = pages
  }

  /** Encodes a block of captures. @param from - a multiple of {@link BLOCK}. */
  encode(from: number): EncodedCaptures {
    const { settings } = this.#pages
    const { encoded: texts, firsts } = this.#textsOf(from)
    const pages = texts.slice(0, settings.pages - from).map(({ page }, i) => this.#pages.page(from + i, page))
    const values: EncodedCaptures['values'] = []
    const fields = fieldTermsOf(pages)
    const captures = pages.map((page, i) => {
      const { number, url, acquiredAt, publishedAt } = page
      const { analyzed, vector, body } = texts[i]!
      const captureId = captureIdOf(number)
      values.push({ key: documentKey(captureId), value: encodeDocument({ ...analyzed, url }, vector, 0) })
      values.push({ key: bodyKey(captureId), value: body })
      const supersededAt = this.#pages.supersededAt(number)
      if (supersededAt === undefined)
        values.push({ key: urlKey(url), value: this.#historyOf(page, texts[i]!.fingerprint) })
      return {
        captureId,
        url,
        acquiredAt,
        publishedAt,
        length: analyzed.length,
        supersededAt: supersededAt ?? Number.POSITIVE_INFINITY,
        revised: [],
      }
    })
    const added = captures.map((capture, i) => {
      const { terms, ...text } = texts[i]!.terms
      const slot = [firstSlot(terms), ...fields[i]!].join(AND)
      const values = fields[i]!.filter(fieldOfTerm)
      return termDocument(capture, { ...text, terms: slot + terms.slice(firstSlot(terms).length) }, values)
    })
    const terms = new Map([...firsts].map(([term, i]) => [term, (captures[i] ?? captures[0]!).acquiredAt]))
    for (const [i, { acquiredAt }] of captures.entries())
      for (const term of fields[i]!) if (!terms.has(term)) terms.set(term, acquiredAt)
    return { values, captures, changes: { added, changed: [], deleted: [] }, terms }
  }

  /** Returns the texts of a block of captures. @param from - the number of the first capture. */
  #textsOf(from: number): EncodedTexts {
    const first = this.#pages.textOf(from)
    if (first !== this.#texts.from) {
      const pages = Array.from({ length: BLOCK }, (_, i) => this.#pages.text(first + i))
      const group = analyzed(pages)
      const { terms, firstAt: firstTexts, captures } = occurrencesIn(group.postings, Float64Array.from(pages.keys()))
      const encoded = group.captures.map((analyzed, i): EncodedText => {
        const { bodyStart, bodyEnd, vectorStart, vectorEnd, length } = analyzed
        const page = pages[i]!
        const ofText = withoutFields(captures[i]!)
        const [pack] = packBodies([{ captureId: 0, bytes: group.bodies.subarray(bodyStart, bodyEnd) }])
        return {
          page,
          analyzed,
          vector: group.vectors.subarray(vectorStart, vectorEnd),
          body: pack!.bytes,
          fingerprint: fingerprintOf(page.title, plainText(page.text)),
          terms: termsTextOf(ofText, length),
        }
      })
      const firsts = new Map(terms.flatMap((term, t) => (isFieldTerm(term) ? [] : [[term, firstTexts[t]!] as const])))
      this.#texts = { from: first, encoded, firsts }
    }
    return this.#texts
  }

  /** Returns the record with the whole history of a URL. @param last - the last capture of the URL. */
  #historyOf(last: BenchPage, fingerprint: string): Uint8Array {
    return encodeUrlRecord(
      this.#pages.historyOf(last.number).map(number => {
        const page = number === last.number ? last : this.#pages.page(number)
        const { title, text, publishedAt, acquiredAt: at } = page
        return {
          kind: 'capture',
          at,
          captureId: captureIdOf(number),
          declared: true,
          fingerprint: number === last.number ? fingerprint : fingerprintOf(title, plainText(text)),
          metadata: metadataFingerprint({ publishedAt, details: detailsOf(page) }, { title, markdown: text }),
        }
      }),
    )
  }
}

/** Captures are numbered in the order of their instants. */
const captureIdOf = (number: number): number => number + 1

/** The first slot of a text of the term index, in which the values of fields are. */
const firstSlot = (terms: string): string => terms.slice(0, terms.indexOf(' '))

/** True for the terms of URLs, languages and kinds of pages, which have no position in the text. */
const isFieldTerm = (term: string): boolean => /^[:@]/.test(term)

function withoutFields({ terms, numbers }: TermOccurrences): TermOccurrences {
  const kept: number[] = []
  let at = 0
  for (const term of terms) {
    const end = at + 2 + numbers[at + 1]!
    if (!isFieldTerm(term)) kept.push(...numbers.subarray(at, end))
    at = end
  }
  return { terms: terms.filter(term => !isFieldTerm(term)), numbers: Uint32Array.from(kept) }
}

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

/** Returns, for each page, the terms that do not depend on its text. */
function fieldTermsOf(pages: readonly BenchPage[]): string[][] {
  const { postings } = analyzed(pages.map(page => ({ ...page, title: '', text: '' })))
  const instants = Float64Array.from(pages.keys())
  return occurrencesIn(postings, instants).captures.map(({ terms }) => [...terms])
}

function detailsOf({ publishedAt }: BenchPage): BodyDetails {
  return {
    lang: LANG,
    publishedFrom: publishedAt === undefined ? undefined : { source: 'declared', precision: 'second' },
  }
}
