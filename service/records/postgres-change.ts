import type { Transaction } from '../../database/index.ts'
import { keyText, type RecordChange, type RecordKey, type RecordTable, recordPosition } from './records.ts'

/** A change of records in a transaction. */
export class PostgresChange implements RecordChange {
  readonly #tx: Transaction

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  async find<Value>(table: RecordTable<Value>, id: RecordKey): Promise<Value | undefined> {
    return (await this.findAll(table, [id]))[0]
  }

  async findAll<Value>({ name }: RecordTable<Value>, ids: readonly RecordKey[]): Promise<Value[]> {
    const tx = this.#tx
    // Rows are locked in the order of their ids, so that changes do not wait for each other in a circle.
    const rows = await tx<{ record: Value }[]>`
      select record from ${tx(name)} where id = any(${ids.map(keyText)}::text[]) order by id for update`
    return rows.map(({ record }) => record)
  }

  async add<Value>(table: RecordTable<Value>, record: Value): Promise<boolean> {
    const added = await this.#tx`${this.#insertion(table, [record])} on conflict (id) do nothing returning id`
    return added.length > 0
  }

  async put<Value>(table: RecordTable<Value>, ...records: readonly Value[]): Promise<void> {
    const tx = this.#tx
    const keys = Object.keys(table.keys).map(by => tx`, ${tx(by)} = excluded.${tx(by)}`)
    await tx`
      ${this.#insertion(table, records)} on conflict (id) do update set ${[tx`record = excluded.record`, ...keys]}`
  }

  async delete({ name }: RecordTable<never>, ...ids: readonly RecordKey[]): Promise<void> {
    const tx = this.#tx
    await tx`delete from ${tx(name)} where id = any(${ids.map(keyText)}::text[])`
  }

  /** The columns are in the order in which `tableStatements` makes them. A record is text first, because `json` must keep it as it is. */
  #insertion<Value>(table: RecordTable<Value>, records: readonly Value[]) {
    const tx = this.#tx
    const columns = Object.keys(table.keys).map(by => {
      const positions = records.map(record => recordPosition(table, by, record) ?? null)
      return tx`, ${positions}::text[]`
    })
    const texts = tx`${records.map(record => JSON.stringify(record))}::text[]`
    const names = Object.keys(table.keys).map(by => tx`, ${tx(by)}`)
    return tx`
      insert into ${tx(table.name)}
      select id, ${[tx`record::json`, ...names]}
      from unnest(${records.map(record => keyText(table.id(record)))}::text[], ${[texts, ...columns]})
      as given (id, ${[tx`record`, ...names]}) order by id`
  }
}

/**
 * Returns the statements that make a table. A record is `json`, which keeps every text, also U+0000, which `jsonb` cannot hold.
 * Each key has a column with the position of the record in its order. Positions are unique, since they end with the id; but only the id is
 * declared so, because `on conflict` can name one constraint alone.
 */
export function tableStatements({ name, keys }: RecordTable<never>): string {
  const columns = Object.keys(keys).map(by => `"${by}" text collate "C"`)
  const indexes = Object.keys(keys).map(by => `create index on "${name}" ("${by}") where "${by}" is not null;`)
  const created = `create table "${name}" (${['id text collate "C" primary key, record json not null', ...columns].join(', ')});`
  return [created, ...indexes].join('\n')
}
