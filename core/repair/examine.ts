import { isAsofError } from '@asof/extract/errors'
import type { FolderDamage } from '../leveldb/folder-check.ts'
import { relevanceInstants } from '../relevance/stored-relevance.ts'
import type { RevisedCapture } from '../segment/columns/revisions.ts'
import { isTombstone } from '../segment/columns/tombstone.ts'
import { FolderStore } from '../store/folder-store.ts'
import { decodeIdentity } from '../store/identity.ts'
import { FolderView } from '../store/integrity/folder-view.ts'
import { folderDamage, hasDatabase } from '../store/integrity/integrity-check.ts'
import {
  allBodies,
  allDocuments,
  allRevisionRows,
  allRevisions,
  allSupersessions,
  allUrls,
  allVectors,
  firstNumberOfKey,
  identityKey,
  type KeyRange,
  manifestKey,
  modelsKey,
  relevanceKey,
  revisionRowsKey,
  secondNumberOfKey,
  urlOfKey,
} from '../store/keys.ts'
import { decodeManifest, emptyManifest, type Manifest } from '../store/manifest.ts'
import { BodyPackReader } from '../store/records/body-pack.ts'
import { encodeRevisionRows } from '../store/records/revision-record.ts'
import { readDocumentRecord, readStoredBody } from '../store/records/stored-page.ts'
import { decodeSupersession } from '../store/records/supersession.ts'
import { decodeUrlRecord } from '../store/records/url-record.ts'
import { decodeModels, decodeVector } from '../store/records/vector-records.ts'
import { type Catalog, locateCapture } from '../store/snapshots/catalog.ts'
import type { Store } from '../store/store.ts'
import { settledEnds } from './histories.ts'
import { currentIndexOf, expectIndex, expectPath, missingError } from './index-folder.ts'
import { revisionRowsOf } from './rows-of-revisions.ts'
import { examineSegment } from './segment-examination.ts'

/** The result of examining an index. */
export interface Examination {
  /** True if every answer of the index can be trusted. */
  sound: boolean
  /** Damaged parts of LevelDB's files. If there are any, the values were not examined. */
  damage: FolderDamage[]
  /** Values that are missing, unreadable or inconsistent, at most {@link MAX_PROBLEMS}. */
  problems: string[]
  /** Number of all problems, including those that are not in the list. */
  problemCount: number
  captures: number
  urls: number
  segments: number
  /** Number of unused values that a crash left. They are harmless, and the next opening deletes them. */
  strays: number
}

const MAX_PROBLEMS = 100

const CACHE_BYTES = 32 * 1024 * 1024

/** Examines the index of a data folder, see `examine` in `core/engine/maintenance.ts`. */
export async function examineIndex(dir: string): Promise<Examination> {
  expectPath(dir)
  await expectIndex(dir)
  const location = await currentIndexOf(dir)
  const view = await FolderView.of(location)
  try {
    return await examineView(dir, location, view)
  } finally {
    await view.close()
  }
}

/** @param view - the view of the index at `location`, which is in the data folder `dir`. */
async function examineView(dir: string, location: string, view: FolderView): Promise<Examination> {
  const examination: Examination = {
    sound: false,
    damage: await folderDamage(location, { sums: () => true }),
    problems: [],
    problemCount: 0,
    captures: 0,
    urls: 0,
    segments: 0,
    strays: 0,
  }
  if (examination.damage.length > 0) return examination
  // LevelDB would create a database where a crash left the beginning of one.
  if (!(await hasDatabase(location))) throw missingError(dir, ', only the beginning of one')
  const store = await openIfIntact(view, examination)
  if (!store) return examination
  try {
    await new Examiner(store, examination).run()
  } finally {
    await store.close()
  }
  examination.sound = examination.problemCount === 0
  return examination
}

/** Opens the store. Returns undefined if LevelDB finds damage that the check of the files missed. */
async function openIfIntact(view: FolderView, found: Examination): Promise<Store | undefined> {
  try {
    return await FolderStore.open(view.location, { cacheBytes: CACHE_BYTES })
  } catch (error) {
    if (!isAsofError(error)) throw error
    const named = view.named(error)
    if (named.code !== 'ASOF_STORE_CORRUPT') throw named
    found.problems.push(named.message)
    found.problemCount++
    return undefined
  }
}

class Examiner {
  readonly #store: Store
  readonly #found: Examination
  /** The revisions that histories name. */
  readonly #revisions = new Set<number>()
  /** The captures that should have stored revision rows. */
  readonly #withRows = new Set<number>()

  constructor(store: Store, found: Examination) {
    this.#store = store
    this.#found = found
  }

  async run(): Promise<void> {
    const manifest = this.#manifest()
    if (!manifest) return
    const segments = manifest.segments.flatMap(info => this.#attempt(() => [examineSegment(info, this.#store)]) ?? [])
    this.#found.segments = segments.length
    await this.#supersessions({ segments })
    const known = await this.#histories({ manifest, segments })
    for (const { info, columns } of segments)
      columns.captureIds.forEach((id, ordinal) => {
        if (!known.has(id) && !isTombstone(columns.supersededAt[ordinal]!))
          this.#problem(`capture ${id} of segment ${info.id} is in the history of no URL`)
      })
    await this.#vectors()
    this.#relevance(manifest)
    for (const range of [allDocuments, allVectors]) await this.#countStrays(range, known)
    await this.#each(allBodies, (key, value) => {
      const { captureIds } = new BodyPackReader(firstNumberOfKey(key), value)
      this.#found.strays += captureIds.filter(captureId => !known.has(captureId)).length
    })
    await this.#countStrays(allRevisions, this.#revisions)
    await this.#countStrays(allRevisionRows, this.#withRows)
  }

  #manifest(): Manifest | undefined {
    return this.#attempt(() => {
      const identity = this.#store.get(identityKey)
      if (identity) decodeIdentity(identity)
      else this.#problem('the identity of the store is missing')
      const bytes = this.#store.get(manifestKey)
      const manifest = bytes ? decodeManifest(bytes) : emptyManifest
      const lost = this.#store.acknowledgedGeneration - manifest.generation
      if (lost > 0) this.#problem(`the last ${lost} commits are gone, though they were acknowledged`)
      return manifest
    })
  }

  async #supersessions({ segments }: Pick<Catalog, 'segments'>): Promise<void> {
    const byId = new Map(segments.map(segment => [segment.info.id, segment]))
    await this.#each(allSupersessions, (key, value) => {
      const segment = byId.get(firstNumberOfKey(key))
      if (!segment) this.#found.strays++
      else if (secondNumberOfKey(key) >= segment.captures)
        this.#problem(`segment ${segment.info.id} lacks a superseded capture`)
      else segment.supersede(secondNumberOfKey(key), decodeSupersession(value))
    })
  }

  /** Compares every history with the segments, and reads every page. Returns the captures in all histories. */
  async #histories(catalog: Omit<Catalog, 'identity'>): Promise<Set<number>> {
    const known = new Set<number>()
    await this.#each(allUrls, (key, value) => {
      const url = urlOfKey(key)
      const endings = settledEnds(decodeUrlRecord(value))
      if (endings.length > 0) this.#found.urls++
      for (const { captureId, at, supersededAt, removedAt, revisions } of endings) {
        for (const { revisionId } of revisions) this.#revisions.add(revisionId)
        known.add(captureId)
        this.#found.captures++
        this.#attempt(() => {
          const { segment, ordinal } = locateCapture(catalog, captureId, at)
          if (segment.columns.supersededAt[ordinal] !== supersededAt)
            this.#problem(`capture ${captureId} of ${url} does not end when its history says`)
          if (readDocumentRecord(this.#store, captureId).url !== url)
            this.#problem(`capture ${captureId} of ${url} has the page of another URL`)
          readStoredBody(this.#store, captureId)
          const publishedAt = segment.columns.publishedAt[ordinal]
          const dated = { captureId, revisions, publishedAt: Number.isNaN(publishedAt) ? undefined : publishedAt }
          const removal = removedAt !== undefined && { removedAt }
          this.#compareRows({ captureId, acquiredAt: at, rows: revisionRowsOf(dated, this.#store), ...removal }, url)
        })
      }
    })
    if (this.#found.urls !== catalog.manifest.urls)
      this.#problem(`there are ${this.#found.urls} histories; the manifest counts ${catalog.manifest.urls}`)
    return known
  }

  /** Compares the stored revision rows of a capture with its history. */
  #compareRows(revised: RevisedCapture, url: string): void {
    const { captureId, rows, removedAt } = revised
    const stored = this.#store.get(revisionRowsKey(captureId))
    if (stored) this.#withRows.add(captureId)
    const isRevised = rows.length > 0 || removedAt !== undefined
    const right = isRevised ? encodeRevisionRows(revised) : new Uint8Array(0)
    if (!Buffer.from(right).equals(stored ?? new Uint8Array(0)))
      this.#problem(
        `searches know other revisions or another removal of capture ${captureId} of ${url} than its history`,
      )
  }

  /** Reads every version of the relevance. */
  #relevance({ relevanceVersions = 0 }: Manifest): void {
    const instants = this.#attempt(() => relevanceInstants(this.#store)) ?? []
    for (let version = 1; version <= relevanceVersions; version++)
      if (!this.#attempt(() => this.#store.get(relevanceKey(version))) || instants[version - 1] === undefined)
        this.#problem(`version ${version} of the relevance is missing`)
  }

  /** Reads every vector, and compares the vectors with the list of models. */
  async #vectors(): Promise<void> {
    const stored = this.#attempt(() => this.#store.get(modelsKey))
    const models = (stored && this.#attempt(() => decodeModels(stored))) ?? []
    const counts = new Map(models.map(({ id }) => [id, 0]))
    await this.#each(allVectors, (key, value) => {
      const model = models.find(({ id }) => id === secondNumberOfKey(key))
      if (model?.dimensions !== decodeVector(value).length)
        this.#problem(`the vector of capture ${firstNumberOfKey(key)} is of no known model`)
      else counts.set(model.id, (counts.get(model.id) ?? 0) + 1)
    })
    for (const { id, model, vectors } of models)
      if (counts.get(id) !== vectors)
        this.#problem(`there are ${counts.get(id)} vectors of ${model}; the list of models counts ${vectors}`)
  }

  async #countStrays(range: KeyRange, known: ReadonlySet<number>): Promise<void> {
    await this.#each(range, key => {
      if (!known.has(firstNumberOfKey(key))) this.#found.strays++
    })
  }

  async #each(range: KeyRange, look: (key: Uint8Array, value: Uint8Array) => void): Promise<void> {
    try {
      for await (const [key, value] of this.#store.iterate(range)) this.#attempt(() => look(key, value))
    } catch (error) {
      this.#note(error)
    }
  }

  #attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#note(error)
      return undefined
    }
  }

  /** Adds an error about damage to the problems. Throws any other error. */
  #note(error: unknown): void {
    if (!isAsofError(error, 'ASOF_STORE_CORRUPT')) throw error
    this.#problem(error.message)
  }

  #problem(what: string): void {
    this.#found.problemCount++
    if (this.#found.problems.length < MAX_PROBLEMS) this.#found.problems.push(what)
  }
}
