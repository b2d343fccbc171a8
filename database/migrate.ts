import { AsofError } from '@asof/core'
import { only } from './only.ts'
import type { Transaction } from './queries.ts'

/** The tables of one store, as a list of steps that make and change them. A step never changes once it was released. */
export interface Migrations {
  /** Unique in a schema, such as `payments`. */
  store: string
  /** Statements in SQL. Names without a schema are in that of the database. */
  steps: readonly string[]
}

// Any number; all processes use the same one.
const LOCK = 4_861_023

/**
 * Creates the schema if it is missing, and runs the steps of a store that it lacks. Processes that start at once wait for each other.
 *
 * @throws ASOF_STORE_FORMAT - a later version of asof made the tables.
 */
export async function migrate(tx: Transaction, schema: string, { store, steps }: Migrations): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCK})`
  // Creates only what is missing, because the user may be allowed to use the tables but not to create any.
  const [known] = await tx`select from pg_catalog.pg_tables where schemaname = ${schema} and tablename = 'migration'`
  if (!known) {
    await tx`create schema if not exists ${tx(schema)}`
    await tx`create table ${tx(schema)}.migration (
      store text, step int, made_at timestamptz not null default now(), primary key (store, step))`
  }
  const { made } = only(
    await tx<{ made: number }[]>`
      select coalesce(max(step), 0)::int as made from ${tx(schema)}.migration where store = ${store}`,
  )
  if (made > steps.length) {
    throw new AsofError(
      'ASOF_STORE_FORMAT',
      `a later version of asof made the tables of ${store} in this database; use that version or a later one`,
    )
  }
  for (const [index, statements] of steps.entries()) {
    if (index < made) continue
    await tx.unsafe(statements)
    await tx`insert into ${tx(schema)}.migration (store, step) values (${store}, ${index + 1})`
  }
}
