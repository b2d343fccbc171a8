import { isAsofError } from '@asof/extract/errors'
import { prepareRecorded, type RecordedCapture } from '../ingest/commit.ts'
import { COMMIT_BYTES, COMMIT_CAPTURES } from '../ingest/commit-queue.ts'
import { encodeRelevance, relevanceInstants } from '../relevance/stored-relevance.ts'
import { encodeIdentity, type Identity } from '../store/identity.ts'
import {
  aliasKey,
  allAliases,
  allClaims,
  allVectors,
  claimKey,
  claimOfKey,
  firstNumberOfKey,
  identityKey,
  manifestKey,
  modelsKey,
  relevanceInstantsKey,
  relevanceKey,
  revisionKey,
  revisionRowsKey,
  secondNumberOfKey,
  urlKey,
  urlOfKey,
} from '../store/keys.ts'
import { emptyManifest, encodeManifest, type Manifest } from '../store/manifest.ts'
import {
  type AliasClaim,
  type AliasRecord,
  decodeAliasRecord,
  encodeAliasRecord,
  withClaims,
} from '../store/records/alias-record.ts'
import { encodeRevision, encodeRevisionRows } from '../store/records/revision-record.ts'
import { readDocumentRecord, readRevision, readStoredBody } from '../store/records/stored-page.ts'
import { encodeUrlRecord } from '../store/records/url-record.ts'
import { decodeModels, encodeModels, type StoredModel } from '../store/records/vector-records.ts'
import type { Catalog } from '../store/snapshots/catalog.ts'
import type { Operation, Store } from '../store/store.ts'
import type { CaptureFacts } from './capture-facts.ts'
import type { SavedHistory } from './histories.ts'
import { revisionRowsOf } from './rows-of-revisions.ts'

/** What remains of a damaged index. */
export interface Remains {
  /** The store with the documents, bodies and aliases. */
  store: Store
  /** The identity of the damaged index; that of a new index if it is lost. */
  identity: Identity
  /** The manifest of the damaged index; undefined if it is lost. */
  manifest: Manifest | undefined
  histories: ReadonlyMap<string, SavedHistory>
  facts: ReadonlyMap<number, CaptureFacts>
  /** The generation of the last acknowledged commit; 0 if unknown. */
  acknowledgedGeneration: number
}

/** Number of values that are written at a time. */
const RECORDS_AT_ONCE = 4096

/** Writes a new index into an empty store. Postings are computed again from the pages. */
export async function rebuild(remains: Remains, target: Store): Promise<Manifest> {
  const { store, identity, histories, facts } = remains
  await target.commit([{ type: 'put', key: identityKey, value: encodeIdentity(identity) }])
  await writeRecords(histories, target)
  await writeAliases(remains, target)
  await writeVectors(remains, target)
  await writeRevisions(remains, target)
  const relevanceVersions = await writeRelevance(remains, target)
  const captures = [...histories].flatMap(([url, history]) => history.captures.map(capture => ({ ...capture, url })))
  captures.sort((a, b) => a.at - b.at || (a.url < b.url ? 1 : a.url > b.url ? -1 : a.captureId - b.captureId))
  let catalog: Catalog = { identity, manifest: { ...startOf(remains), relevanceVersions }, segments: [] }
  let recorded: RecordedCapture[] = []
  let chars = 0
  const write = async (): Promise<void> => {
    const { operations, change } = await prepareRecorded(target, catalog, recorded)
    await target.commit(operations)
    catalog = { identity, manifest: change.manifest, segments: [] }
    recorded = []
    chars = 0
  }
  for (const { captureId, at, supersededAt } of captures) {
    const body = readStoredBody(store, captureId)
    const { declared = false, publishedAt } = facts.get(captureId) ?? {}
    const document = readDocumentRecord(store, captureId)
    recorded.push({
      captureId,
      at,
      supersededAt,
      declared,
      document,
      body,
      publishedAt,
    })
    chars += body.markdown.length
    if (recorded.length >= COMMIT_CAPTURES || chars >= COMMIT_BYTES) await write()
  }
  if (recorded.length > 0) await write()
  else await target.commit([{ type: 'put', key: manifestKey, value: encodeManifest(catalog.manifest) }])
  return catalog.manifest
}

/**
 * Returns the manifest with which the new index begins, without segments. Its numbers continue those of the damaged
 * index, so that none is used twice.
 */
function startOf({ manifest, histories, acknowledgedGeneration }: Remains): Manifest {
  const before = manifest ?? emptyManifest
  let { lastStampAt, nextCaptureId } = before
  for (const { record, captures } of histories.values()) {
    for (const observation of record) {
      lastStampAt = Math.max(lastStampAt, observation.at)
      if (observation.kind === 'revision') nextCaptureId = Math.max(nextCaptureId, observation.revisionId + 1)
    }
    for (const { captureId } of captures) nextCaptureId = Math.max(nextCaptureId, captureId + 1)
  }
  return {
    ...before,
    generation: Math.max(before.generation, acknowledgedGeneration) + 1,
    segments: [],
    nextCaptureId,
    lastStampAt,
    urls: [...histories.values()].filter(({ captures }) => captures.length > 0).length,
  }
}

async function writeRecords(histories: ReadonlyMap<string, SavedHistory>, target: Store): Promise<void> {
  let operations: Operation[] = []
  for (const [url, { record }] of histories) {
    operations.push({ type: 'put', key: urlKey(url), value: encodeUrlRecord(record) })
    if (operations.length < RECORDS_AT_ONCE) continue
    await target.commit(operations)
    operations = []
  }
  await target.commit(operations)
}

/** Writes the revisions of the captures, and the rows by which searches filter revisions. */
async function writeRevisions({ store, histories, facts }: Remains, target: Store): Promise<void> {
  for (const { captures } of histories.values())
    for (const { captureId, at: acquiredAt, removedAt, revisions } of captures) {
      if (revisions.length === 0 && removedAt === undefined) continue
      const rows = revisionRowsOf({ captureId, publishedAt: facts.get(captureId)?.publishedAt, revisions }, store)
      const revised = { acquiredAt, rows, removedAt }
      const operations = revisions.map(({ revisionId }): Operation => {
        return { type: 'put', key: revisionKey(revisionId), value: encodeRevision(readRevision(store, revisionId)) }
      })
      if (rows.length > 0 || removedAt !== undefined)
        operations.push({ type: 'put', key: revisionRowsKey(captureId), value: encodeRevisionRows(revised) })
      await target.commit(operations)
    }
}

/** Writes the versions of the relevance, up to the first one that is lost. Returns their number; undefined for none. */
async function writeRelevance({ store }: Remains, target: Store): Promise<number | undefined> {
  const instants = relevanceInstants(store)
  const versions: Uint8Array[] = []
  for (let value = store.get(relevanceKey(1)); value; value = store.get(relevanceKey(versions.length + 1)))
    versions.push(value)
  const count = Math.min(versions.length, instants.length)
  if (count === 0) return undefined
  await target.commit([
    ...versions.slice(0, count).map((value, v): Operation => ({ type: 'put', key: relevanceKey(v + 1), value })),
    { type: 'put', key: relevanceInstantsKey, value: encodeRelevance(instants.slice(0, count)) },
  ])
  return count
}

async function writeAliases(remains: Remains, target: Store): Promise<void> {
  let operations: Operation[] = []
  for (const [alias, record] of await recoverAliases(remains)) {
    if (record.length === 0) continue
    operations.push({ type: 'put', key: aliasKey(alias), value: encodeAliasRecord(record) })
    for (const { at, url } of record)
      operations.push({ type: 'put', key: claimKey({ url, at, alias }), value: new Uint8Array(0) })
    if (operations.length < RECORDS_AT_ONCE) continue
    await target.commit(operations)
    operations = []
  }
  await target.commit(operations)
}

/**
 * Returns the alias claims, by alias. Each claim is stored under the alias and under a key of its own, so both are
 * read. Claims of a URL are dropped if the URL has a stored record but no recovered history. In this case a purge
 * deleted its captures, and damage undid the other deletions of the purge.
 */
async function recoverAliases({ store, histories }: Remains): Promise<Map<string, AliasRecord>> {
  const saved = new Map<string, AliasClaim[]>()
  const add = (alias: string, claims: readonly AliasClaim[]): void => {
    const left = claims.filter(({ url }) => histories.has(url) || !store.get(urlKey(url)))
    const known = saved.get(alias)
    if (!known) saved.set(alias, left)
    else for (const claim of left) known.push(claim)
  }
  for await (const [key, value] of store.iterate(allAliases)) add(urlOfKey(key), decodeAliasRecord(value))
  for await (const [key] of store.iterate(allClaims)) {
    const { url, at, alias } = claimOfKey(key)
    add(alias, [{ at, url }])
  }
  return new Map([...saved].map(([alias, claims]) => [alias, withClaims([], claims)]))
}

/** Writes the vectors of the surviving captures, and the list of the models that computed them. */
async function writeVectors({ store, histories }: Remains, target: Store): Promise<void> {
  const models = recoverModels(store)
  const left = new Set([...histories.values()].flatMap(({ captures }) => captures.map(({ captureId }) => captureId)))
  const counts = new Map<number, number>()
  let operations: Operation[] = []
  for await (const [key, value] of store.iterate(allVectors)) {
    const model = models.find(({ id }) => id === secondNumberOfKey(key))
    // A vector is useless without its model or its capture.
    if (!model || !left.has(firstNumberOfKey(key))) continue
    counts.set(model.id, (counts.get(model.id) ?? 0) + 1)
    operations.push({ type: 'put', key, value })
    if (operations.length < RECORDS_AT_ONCE) continue
    await target.commit(operations)
    operations = []
  }
  if (models.length === 0) return
  const counted = models.map(model => ({ ...model, vectors: counts.get(model.id) ?? 0 }))
  await target.commit([...operations, { type: 'put', key: modelsKey, value: encodeModels(counted) }])
}

function recoverModels(store: Store): StoredModel[] {
  const bytes = store.get(modelsKey)
  try {
    return bytes ? decodeModels(bytes) : []
  } catch (error) {
    // Without the list of models, no vector can be used. Vectors can be computed again.
    if (isAsofError(error, 'ASOF_STORE_CORRUPT')) return []
    throw error
  }
}
