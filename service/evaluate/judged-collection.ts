import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { CaptureInput } from '@asof/core'
import { normalizeUrl } from '@asof/core/internal'
import { CollectionError } from './collection-error.ts'
import { type JudgedQueries, readJudgedQueries } from './judged-queries.ts'
import { jsonLines } from './text-lines.ts'

/** A document of a collection, as a page. */
export interface JudgedDocument {
  id: string
  page: CaptureInput & { url: string; title: string; text: string }
}

/** The instant of the first document without an `acquired_at`, epoch ms. Each further one is one second later. */
const ACQUIRED_FROM = Date.UTC(2026, 0, 1)

/**
 * A folder in the layout of BEIR (Thakur et al., NeurIPS 2021): `corpus.jsonl`, `queries.jsonl` and
 * `qrels/<split>.tsv`, or `qrels.tsv` if there is no folder `qrels`. The first two may be gzipped.
 */
export class JudgedCollection {
  readonly name: string
  readonly #folder: string
  readonly #qrels: string
  /** Ids of documents by normalized URL. */
  readonly #ids = new Map<string, string>()

  /**
   * @param split - the judgments to read. Default `test`.
   * @throws CollectionError - the folder does not exist or has no judgments.
   */
  constructor(folder: string, split: string = 'test') {
    if (!existsSync(folder)) throw new CollectionError(`${folder}: there is no such folder`)
    const files = [join(folder, 'qrels', `${split}.tsv`), join(folder, 'qrels.tsv')]
    const qrels = files.find(file => existsSync(file))
    if (qrels === undefined) throw new CollectionError(`${folder} has no judgments: expected ${files.join(' or ')}`)
    this.name = basename(folder)
    this.#folder = folder
    this.#qrels = qrels
  }

  /** @throws CollectionError - as {@link readJudgedQueries} does. */
  queries(): Promise<JudgedQueries> {
    return readJudgedQueries(join(this.#folder, 'queries.jsonl'), this.#qrels)
  }

  /**
   * Reads the documents of the corpus, one at a time. Lines have `_id`, `text` and optionally `title`; beyond BEIR they
   * may have `url`, `published_at` and `acquired_at`. A document without a URL, or with the URL of an earlier document,
   * gets a meaningless URL of its own.
   *
   * @throws CollectionError - the file is missing or has a malformed line.
   */
  async *documents(): AsyncGenerator<JudgedDocument, void, undefined> {
    const path = join(this.#folder, 'corpus.jsonl')
    let count = 0
    for await (const [line, number] of jsonLines(path)) {
      const { _id, title, text, url, published_at: publishedAt, acquired_at: acquiredAt } = line
      if ((typeof _id !== 'string' && typeof _id !== 'number') || typeof text !== 'string')
        throw new CollectionError(`${path}, line ${number}: expected "_id" and "text"`)
      const id = String(_id)
      const page = {
        url: this.#urlOf(id, url, count),
        title: typeof title === 'string' ? title : '',
        text,
        acquiredAt: typeof acquiredAt === 'string' ? acquiredAt : ACQUIRED_FROM + count * 1000,
        publishedAt:
          typeof publishedAt === 'string' && Number.isFinite(Date.parse(publishedAt)) ? publishedAt : undefined,
      }
      count++
      yield { id, page }
    }
  }

  /** Returns the id of the document with a URL. */
  idOf(url: string): string {
    return this.#ids.get(url) ?? url
  }

  #urlOf(id: string, url: unknown, count: number): string {
    if (typeof url === 'string' && URL.canParse(url)) {
      const normalized = normalizeUrl(url)
      if (!this.#ids.has(normalized)) {
        this.#ids.set(normalized, id)
        return url
      }
    }
    const own = `https://documents.example/${count}`
    this.#ids.set(own, id)
    return own
  }
}
