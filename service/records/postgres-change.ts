import type { Transaction } from '../../database/index.ts'
import { keyText, type RecordChange, type RecordKey, type RecordTable, recordPosition } from './records.ts'

/** A change of records in a transaction. */
export class PostgresChange implements RecordChange {
  readonly #tx: Transaction

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  async find<Value>({ name }: RecordTable<Value>, id: RecordKey): Promise<Value | undefined> {
    const tx = this.#tx
    const [row] = await tx<{ record: Value }[]>`select record from ${tx(name)} where id = ${keyText(id)} for update`
    return row?.record
  }

  async add<Value>(table: RecordTable<Value>, record: Value): Promise<boolean> {
    const added = await this.#tx`${this.#insertion(table, record)} on conflict (id) do nothing returning id`
    return added.length > 0
  }

  async put<Value>(table: RecordTable<Value>, record: Value): Promise<void> {
    const tx = this.#tx
    const keys = Object.keys(table.keys).map(by => tx`, ${tx(by)} = excluded.${tx(by)}`)
    await tx`
      ${this.#insertion(table, record)} on conflict (id) do update set ${[tx`record = excluded.record`, ...keys]}`
  }

  async delete({ name }: RecordTable<never>, id: RecordKey): Promise<void> {
    const tx = this.#tx
    await tx`delete from ${tx(name)} where id = ${keyText(id)}`
  }

  /** The columns are in the order in which `tableStatements` makes them. A record is text first, because `json` must keep it as it is. */
  #insertion<Value>(table: RecordTable<Value>, record: Value) {
    const tx = this.#tx
    const positions = Object.keys(table.keys).map(by => tx`, ${recordPosition(table, by, record) ?? null}`)
    const text = tx`${JSON.stringify(record)}::text::json`
    return tx`insert into ${tx(table.name)} values (${keyText(table.id(record))}, ${[text, ...positions]})`
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
