import { isAsofError } from '@asof/extract/errors'
import PQueue from 'p-queue'
import type { Embedder } from '../models/embedder.ts'
import { ModelCalls } from '../models/model-calls.ts'
import { knowsText, languagesOf } from '../models/model-languages.ts'
import { PASSAGE_UNITS, passageOf, TEXTS_AT_ONCE, textVectors } from '../models/text-vectors.ts'
import { documentKey, urlKey } from '../store/keys.ts'
import { decodeFirstText, decodeHead, encodedParts } from '../store/records/documents.ts'
import { PageReader } from '../store/records/page-reader.ts'
import { decodeUrlRecord } from '../store/records/url-record.ts'
import type { ReadableStore } from '../store/store.ts'
import type { StoredValues } from '../store/store-reader.ts'
import type { StoredModels } from '../vectors/stored-models.ts'
import type { CaptureVector } from '../vectors/stored-vectors.ts'
import { captureOf, type Entry } from './entry.ts'

/** Maximum time that a capture waits for its vector from a model elsewhere, milliseconds. */
const TIMEOUT_MS = 60_000
/** Maximum number of concurrent requests to the model. */
const REQUESTS_AT_ONCE = 2

type Analyzed = Extract<Entry, { kind: 'content' }>['analyzed']

/** The index that has the captures. */
export interface PassageOptions {
  /** The property `models` is read anew for each call, because the models of the index change. */
  stored: { readonly models: StoredModels }
  store: Pick<ReadableStore, 'getMany'>
  /** Aborts every call when the engine closes. */
  closing: AbortSignal
  /** Called when a call of the model fails, unless the call before failed too. */
  onWarning: (warning: Error) => void
}

/**
 * Gets the vectors of captures from an embeddings model. If the model fails, captures are stored without a vector, and
 * `Engine.embed` can add it later. Captures in a language that the model does not know get no vector.
 */
export class PassageVectors {
  readonly #embedder: Embedder
  readonly #calls: ModelCalls
  readonly #languages: readonly string[] | undefined
  readonly #index: PassageOptions
  readonly #requests = new PQueue({ concurrency: REQUESTS_AT_ONCE })
  #isFailing = false

  constructor(embedder: Embedder, index: PassageOptions) {
    this.#embedder = embedder
    const timeoutMs = embedder.isLocal ? undefined : TIMEOUT_MS
    this.#calls = new ModelCalls({ name: 'the embeddings model', timeoutMs, closing: index.closing })
    this.#languages = languagesOf(embedder)
    this.#index = index
  }

  /** Adds vectors to entries before they are committed. If the model fails, entries stay without. */
  async attach(entries: readonly Entry[]): Promise<void> {
    const contents = entries.filter(entry => entry.kind === 'content')
    await this.#recognize(contents.map(({ analyzed }) => analyzed))
    const fresh = contents.flatMap(({ analyzed }) => {
      const text = analyzed.sameAs === undefined ? this.#passageToEmbed(analyzed) : undefined
      return text === undefined ? [] : { analyzed, text }
    })
    await Promise.all(inParts(fresh).map(part => this.#requests.add(() => this.#attachSome(part))))
  }

  /** Returns the text of a capture for the model; undefined if the model does not know its language. */
  #passageToEmbed(analyzed: Analyzed): string | undefined {
    const { title, bodyStart, bodyEnd, language } = captureOf(analyzed)
    const beginning = decodeFirstText(encodedParts(analyzed.group.bodies.subarray(bodyStart, bodyEnd)))
    const text = passageOf(title, beginning, this.#embedder.passageUnits)
    return knowsText(this.#languages, language, text) ? text : undefined
  }

  async #attachSome(fresh: readonly { analyzed: Analyzed; text: string }[]): Promise<void> {
    const texts = fresh.map(({ text }) => text)
    try {
      const vectors = await this.#vectorsOf(texts)
      fresh.forEach(({ analyzed }, i) => {
        analyzed.vector = vectors[i]!
      })
      this.#isFailing = false
    } catch (error) {
      if (!isAsofError(error, 'ASOF_MODEL_FAILED')) throw error
      if (!this.#isFailing)
        this.#index.onWarning(new Error(`captures are stored without vectors: ${error.message}`, { cause: error }))
      this.#isFailing = true
    }
  }

  #vectorsOf(texts: readonly string[]): Promise<Int8Array[]> {
    const { models } = this.#index.stored
    return textVectors(texts, 'passage', { embedder: this.#embedder, models, calls: this.#calls })
  }

  /** Finds content that the index already has at the same URL, so that the model is not called for it. */
  async #recognize(given: readonly Analyzed[]): Promise<void> {
    const { store } = this.#index
    const records = await store.getMany(given.map(analyzed => urlKey(captureOf(analyzed).url)))
    const same = given.flatMap((analyzed, i) => {
      const stored = records[i]
      const last = stored && decodeUrlRecord(stored).findLast(observation => observation.kind === 'capture')
      return last?.fingerprint === captureOf(analyzed).fingerprint ? { analyzed, captureId: last.captureId } : []
    })
    const documents = await store.getMany(same.map(({ captureId }) => documentKey(captureId)))
    for (const [i, { analyzed, captureId }] of same.entries()) {
      const document = documents[i]
      // The vector also depends on the language, which a caller can declare differently for the same text.
      if (document && decodeHead(document).texts.language === captureOf(analyzed).language) analyzed.sameAs = captureId
    }
  }

  /**
   * Returns the vectors of captures in the index. Leaves out captures that were deleted in the meantime or are in a
   * language that the model does not know.
   *
   * @param store - has their documents and bodies.
   * @throws ASOF_MODEL_FAILED, ASOF_CLOSED
   */
  async ofStored(captureIds: readonly number[], store: StoredValues): Promise<CaptureVector[]> {
    const pages = new PageReader(store)
    const known = captureIds.flatMap(captureId => {
      if (!store.get(documentKey(captureId))) return []
      const { title, language } = pages.document(captureId)
      const { passageUnits = PASSAGE_UNITS } = this.#embedder
      const text = passageOf(title, pages.beginning(captureId, passageUnits), passageUnits)
      return knowsText(this.#languages, language, text) ? { captureId, text } : []
    })
    const texts = known.map(({ text }) => text)
    const parts = await Promise.all(inParts(texts).map(part => this.#requests.add(() => this.#vectorsOf(part))))
    return parts.flat().map((vector, i): CaptureVector => [known[i]!.captureId, vector])
  }
}

function inParts<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / TEXTS_AT_ONCE) }, (_, part) =>
    items.slice(part * TEXTS_AT_ONCE, (part + 1) * TEXTS_AT_ONCE),
  )
}
