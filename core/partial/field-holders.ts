import type { FieldType } from '@asof/extract/page'
import { parseFields, typesOfFields } from '../fields/field-values.ts'
import { isTombstone } from '../segment/columns/tombstone.ts'
import { readDocumentRecord } from '../store/records/stored-page.ts'
import type { Catalog } from '../store/snapshots/catalog.ts'
import type { StoredValues } from '../store/store-reader.ts'

/**
 * The captures and revisions of one instant that have a field of one name and type. Of the revisions, only those count that change a value
 * by which searches filter.
 */
export interface FieldHolders {
  name: string
  type: FieldType
  /** Epoch ms. */
  at: number
  /** Number of these captures and revisions; in a change the difference, which may be negative. */
  holders: number
}

/** Returns the holders of all fields in a catalog. The key is name, type and instant. @param store - has the values of the pages. */
export function holdersOfFields({ segments }: Catalog, store: StoredValues): Map<string, FieldHolders> {
  const found = new Map<string, FieldHolders>()
  const add = (values: string, at: number): void => {
    if (values === '') return
    for (const [name, type] of typesOfFields(parseFields(values))) {
      const key = JSON.stringify([name, type, at])
      found.set(key, { name, type, at, holders: (found.get(key)?.holders ?? 0) + 1 })
    }
  }
  for (const { columns, revisions } of segments) {
    const rowsOf = revisions?.byOrdinal()
    for (const [ordinal, captureId] of columns.captureIds.entries()) {
      if (isTombstone(columns.supersededAt[ordinal]!)) continue
      add(readDocumentRecord(store, captureId).values, columns.acquiredAt[ordinal]!)
      for (const { at, metadata } of rowsOf?.get(ordinal) ?? []) add(metadata.values, at)
    }
  }
  return found
}

/** Returns the holders whose number changed, each with the difference. */
export function changedHolders(
  after: ReadonlyMap<string, FieldHolders>,
  before: ReadonlyMap<string, FieldHolders>,
): FieldHolders[] {
  const all = new Map([...before, ...after])
  return [...all].flatMap(([key, one]) => {
    const holders = (after.get(key)?.holders ?? 0) - (before.get(key)?.holders ?? 0)
    return holders === 0 ? [] : [{ ...one, holders }]
  })
}
