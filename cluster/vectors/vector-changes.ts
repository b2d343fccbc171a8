import {
  type CaptureVector,
  decodeModels,
  MemoryStore,
  modelsKey,
  type Operation,
  type StoredModel,
  StoredVectors,
  vectorKey,
} from '@asof/core/internal'
import type { Clock, Reading } from '../stored/database.ts'

/** The models that computed vectors of a cluster. */
export function modelsIn({ models }: Pick<Clock, 'models'>): StoredModel[] {
  return models === null ? [] : decodeModels(Buffer.from(models))
}

/**
 * Brings the vectors of captures into memory.
 *
 * @param options.model - the identity of the model in use.
 */
export async function loadVectors(
  { tx, database }: Reading,
  clock: Pick<Clock, 'models'>,
  { captureIds, model }: { captureIds: readonly number[]; model: string | undefined },
): Promise<StoredVectors> {
  const store = new MemoryStore()
  if (clock.models !== null) store.apply([{ type: 'put', key: modelsKey, value: Buffer.from(clock.models) }])
  const keys = captureIds.flatMap(captureId => modelsIn(clock).map(({ id }) => vectorKey(captureId, id)))
  const values = await database.pages(tx).getMany(keys)
  store.apply(values.flatMap((value, k) => (value ? [{ type: 'put' as const, key: keys[k]!, value }] : [])))
  const vectors = new StoredVectors(store, model)
  await vectors.load()
  return vectors
}

/** Returns the operations that write the vectors of new captures and delete those of deleted ones, and writes the list of models. */
export async function changeVectors(
  reading: Reading,
  clock: Clock,
  {
    added,
    deleted,
    isLate,
    model,
  }: { added: readonly CaptureVector[]; deleted: readonly number[]; isLate: boolean; model: string | undefined },
): Promise<Operation[]> {
  if (added.length === 0 && (clock.models === null || deleted.length === 0)) return []
  const vectors = await loadVectors(reading, clock, { captureIds: deleted, model })
  const gone = await vectors.deleting(deleted)
  const made = vectors.adding(added, { late: isLate }, gone.models)
  const operations = [...gone.operations, ...made.operations]
  const isOfModels = ({ key }: Operation): boolean => key[0] === modelsKey[0]
  const models = operations.findLast(isOfModels)
  if (models?.type === 'put') await reading.tx`update clock set models = ${Buffer.from(models.value).toString()}`
  return operations.filter(one => !isOfModels(one))
}
