import { bodyKey, firstNumberOfKey, type Operation } from '@asof/core/internal'
import type { Bodies, NewObject } from '../objects/bodies.ts'
import { type BodyReference, decodeReference, encodeReference } from '../objects/body-reference.ts'
import type { Queries } from '../queries.ts'
import { intactValue, isBody, type StoredRow, storedRows } from './stored-rows.ts'

/** Packs the bodies among the values of a change into objects. Returns the objects, and the values with references in place of bodies. */
export function packIntoObjects(
  operations: readonly Operation[],
  bodies: Bodies,
): { operations: Operation[]; objects: NewObject[] } {
  const added = operations.flatMap(operation =>
    operation.type === 'put' && isBody(operation.key)
      ? [{ captureId: firstNumberOfKey(operation.key), body: operation.value }]
      : [],
  )
  const objects = bodies.pack(added)
  const references = objects.flatMap(object => [...object.references])
  const others = operations.filter(({ type, key }) => type !== 'put' || !isBody(key))
  return { operations: [...others, ...references.map(putOf)], objects }
}

function putOf([captureId, reference]: [number, BodyReference]): Operation & { type: 'put' } {
  return { type: 'put', key: bodyKey(captureId), value: encodeReference(reference) }
}

/** Records new objects. They are put into the store at the same time. */
export async function addObjects(tx: Queries, objects: readonly NewObject[]): Promise<void> {
  for (const { name, references, bytes } of objects)
    await tx`
      insert into object (name, captures, bytes, live)
      values (${name}, ${[...references.keys()]}::bigint[], ${bytes.length}, ${bytes.length})`
}

/** Records that the bodies with these keys are deleted, so that their bytes in objects are unused. */
export async function freeBodies(tx: Queries, keys: readonly Uint8Array[]): Promise<void> {
  const freed = new Map<string, number>()
  const rows = await storedRows(tx, keys.filter(isBody))
  for (const { object, length } of referencesIn(rows).values()) freed.set(object, (freed.get(object) ?? 0) + length)
  await free(tx, freed)
}

/** Subtracts bytes that are no longer used from the used bytes of objects. */
export async function free(tx: Queries, freed: ReadonlyMap<string, number>): Promise<void> {
  if (freed.size === 0) return
  await tx`
    update object set live = live - freed.bytes
    from unnest(${[...freed.keys()]}::uuid[], ${[...freed.values()]}::bigint[]) as freed (name, bytes)
    where object.name = freed.name`
}

/** Returns the references in rows of bodies, by the number of the capture. */
export function referencesIn(rows: readonly StoredRow[]): Map<number, BodyReference> {
  return new Map(
    rows.flatMap(row => {
      const reference = decodeReference(intactValue(row))
      return reference ? [[firstNumberOfKey(row.key), reference] as const] : []
    }),
  )
}
