import type { HeldFields, PartChange } from '@asof/core/internal'
import { type Queries, ROWS_AT_ONCE } from '../queries.ts'

type FieldType = PartChange['fields'][number]['type']

/** Reads the fields that pages have now, each with the number of captures and revisions that have it. */
export async function fieldsNow(tx: Queries): Promise<HeldFields> {
  const rows = await tx<{ name: string; type: FieldType; holders: number }[]>`
    select name, type, holders from field_total where holders > 0`
  return new Map(rows.map(({ name, ...field }) => [name, field]))
}

/** Reads the types of the fields that some page had up to an instant, also in superseded versions. */
export async function fieldsUpTo(tx: Queries, instant: number): Promise<Map<string, FieldType>> {
  const rows = await tx<{ name: string; type: FieldType }[]>`
    select name, type from field_total as known where exists (
      select from field where name = known.name and type = known.type and at <= ${instant} and holders > 0)`
  return new Map(rows.map(({ name, type }) => [name, type]))
}

/** Adds to the numbers of captures and revisions that have a field. */
export async function addHolders(tx: Queries, changes: PartChange['fields']): Promise<void> {
  const totals = new Map<string, { name: string; type: FieldType; holders: number }>()
  for (const { name, type, holders } of changes) {
    const key = `${type} ${name}`
    totals.set(key, { name, type, holders: holders + (totals.get(key)?.holders ?? 0) })
  }
  const all = [...totals.values()]
  for (let from = 0; from < all.length; from += ROWS_AT_ONCE)
    await tx`
      insert into field_total ${tx(all.slice(from, from + ROWS_AT_ONCE))}
      on conflict (name, type) do update set holders = field_total.holders + excluded.holders`
  for (let from = 0; from < changes.length; from += ROWS_AT_ONCE)
    await tx`
      insert into field ${tx(changes.slice(from, from + ROWS_AT_ONCE))}
      on conflict (name, type, at) do update set holders = field.holders + excluded.holders`
}
