import type { ContentObservation, StoredContent } from '../history/observations.ts'
import { type Searchable, searchableOf } from '../history/revision-rows.ts'
import { type Body, decodeStoredBody, encodedParts } from '../store/records/documents.ts'
import { encodeRevision, type Form, type Metadata } from '../store/records/revision-record.ts'
import { readDocumentRecord, readRevision, readStoredBody } from '../store/records/stored-page.ts'
import { formOf } from '../store/records/url-record.ts'
import { type Catalog, locateCapture } from '../store/snapshots/catalog.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { plainText } from '../text/markdown/plain-text.ts'
import { analyzeStored } from './analyze-stored.ts'
import { type Analyzed, captureOf } from './entry.ts'

type Content = ContentObservation<Analyzed>

/** Reads the content of observations, from the commit that is being prepared or from the index. */
export class ContentReader {
  readonly #store: StoredValues
  readonly #catalog: Catalog

  constructor(store: StoredValues, catalog: Catalog) {
    this.#store = store
    this.#catalog = catalog
  }

  metadata({ given, stored }: Content): Metadata {
    if (given) {
      const { publishedAt } = captureOf(given)
      const { details } = bodyOf(given)
      return { publishedAt, details }
    }
    if (!stored) throw noContent()
    if (stored.revisionId === undefined) return this.#metadataOfCapture(stored)
    const { form: _, ...metadata } = readRevision(this.#store, stored.revisionId)
    return metadata
  }

  /** Returns the title and Markdown as they were written at the instant of the observation. */
  form({ given, stored }: Content): Form {
    if (given) {
      const { title } = captureOf(given)
      return { title, markdown: bodyOf(given).markdown }
    }
    if (!stored) throw noContent()
    const { captureId, revisionId } = stored
    const form = revisionId === undefined ? undefined : readRevision(this.#store, revisionId).form
    if (form) return form
    return {
      title: readDocumentRecord(this.#store, captureId).title,
      markdown: readStoredBody(this.#store, captureId).markdown,
    }
  }

  /** @param language - the language in which the capture was analyzed. */
  searchable(content: Content, language: string): Searchable {
    const { stored } = content
    if (!stored) return searchableOf(this.metadata(content), language)
    // A page may have very many revisions. So only the few values by which searches filter are read, not the whole
    // revision.
    const { segment, ordinal } = locateCapture(this.#catalog, stored.captureId, stored.acquiredAt)
    const row = segment.revisions?.rowAt(ordinal, stored.heldAt) ?? -1
    if (!segment.revisions || row < 0) return searchableOf(this.#metadataOfCapture(stored), language)
    const metadata = { ...segment.revisions.metadata(row), language }
    return { publishedAt: segment.revisions.publishedAt[row]!, metadata }
  }

  /**
   * Encodes a revision. It has its own copy of the text only if markup or white space differ from those of its capture.
   */
  encodedRevision(revision: Content, capture: Content): Uint8Array {
    const metadata = this.metadata(revision)
    const isSameForm = formOf(revision.metadata) === formOf(capture.metadata)
    return encodeRevision(isSameForm ? metadata : { ...metadata, form: this.form(revision) })
  }

  /** Returns content in the form in which it is written to a segment. Stored content is analyzed again. */
  analyzed(content: Content, url: string): Analyzed {
    const { given, stored } = content
    if (given) return given
    if (!stored) throw noContent()
    const { title, markdown } = this.form(content)
    const body = { markdown, text: plainText(markdown) }
    const { analyzer } = this.#catalog.identity
    const analyzed = analyzeStored({ url, title }, body, this.metadata(content), analyzer)
    return { ...analyzed, sameAs: stored.captureId }
  }

  #metadataOfCapture({ captureId, acquiredAt }: StoredContent): Metadata {
    const { segment, ordinal } = locateCapture(this.#catalog, captureId, acquiredAt)
    const publishedAt = segment.columns.publishedAt[ordinal]!
    const { details } = readStoredBody(this.#store, captureId)
    return { publishedAt: Number.isNaN(publishedAt) ? undefined : publishedAt, details }
  }
}

/** Returns the body of content that is being added. */
function bodyOf({ group, index }: Analyzed): Body {
  const { bodyStart, bodyEnd, values } = captureOf({ group, index })
  return decodeStoredBody(encodedParts(group.bodies.subarray(bodyStart, bodyEnd)), values)
}

function noContent(): TypeError {
  return new TypeError('content is neither given nor stored')
}
