import postgres from 'postgres'
import { count, table } from '../apparatus/text-table.ts'
import type { Target } from './direct-fill.ts'

/** Returns the disk space of the indexes and tables of a cluster, as a text. @param captures - number of captures. */
export async function spaceOf({ search, database, name }: Target, captures: number): Promise<string> {
  const answer = await fetch(`${search}/_cat/indices/${name},${name}_plain?format=json&bytes=b&h=index,store.size`)
  const indexes = (await answer.json()) as { index: string; 'store.size': string }[]
  const sql = postgres(database)
  const tables = await sql<{ relname: string; rows: string; keys: string }[]>`
    select relname, pg_table_size(oid) as rows, pg_indexes_size(oid) as keys from pg_class
    where relnamespace = ${name}::regnamespace and relkind = 'r' and pg_table_size(oid) > 1000000 order by 2 desc`
  await sql.end()
  const rows = [
    ...indexes.map(({ index, 'store.size': bytes }) => [`OpenSearch: ${index}`, Number(bytes)] as const),
    ...tables.flatMap(({ relname, rows, keys }) => [
      [`PostgreSQL: ${relname}`, Number(rows)] as const,
      [`PostgreSQL: indexes of ${relname}`, Number(keys)] as const,
    ]),
  ]
  return table(
    ['on disk', 'MB', 'bytes a capture'],
    rows.map(([what, bytes]) => [what, count(bytes / 1e6), count(bytes / captures)]),
  )
}
