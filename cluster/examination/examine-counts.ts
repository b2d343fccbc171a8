import { EARLIEST_AT, LATEST_AT } from '@asof/extract/timestamp'
import { NEVER } from '../terms/term-queries.ts'
import { type Examined, REINDEX, settle } from './examined.ts'

/** A range with at most this number of captures is compared capture by capture; a larger range is halved. */
const READ_AT_ONCE = 500
/** Maximum number of captures that a finding names. */
const MAX_NAMED = 5
/** Maximum number of differing captures that are read again, to rule out that they differ only because servers write. */
const MAX_SUSPECTS = 200
/** Number of times that a difference is read before it is reported, because servers may write meanwhile. */
const MAX_READS = 3

/** A range of instants, epoch ms, inclusive. */
interface Range {
  from: number
  to: number
}

/** Compares the sums of the statistics with the captures, and the number of captures in ranges of time between PostgreSQL and OpenSearch. */
export async function examineCounts(examined: Examined, isReadable: boolean): Promise<void> {
  const { sql, add } = examined
  const sums = await sql<{ level: number; captures: number; wrong: boolean }[]>`
    with sums as (
      select level, sum(captures) as captures, sum(standing) as standing, sum(standing_length) as standing_length,
        sum(declared) as declared, sum(urls) as urls
      from statistic group by level
    ), stored as (
      select count(*) as captures, count(*) filter (where superseded_at = ${NEVER}) as standing,
        coalesce(sum(length) filter (where superseded_at = ${NEVER}), 0) as standing_length
      from capture
    )
    select one.level, one.captures::bigint as captures, one.captures <> stored.captures
      or one.standing <> stored.standing or one.standing_length <> stored.standing_length
      or one.declared <> first.declared or one.urls <> first.urls as wrong
    from sums as one, sums as first, stored where first.level = 0 order by one.level`
  const wrong = sums.filter(one => one.wrong).map(({ level, captures }) => `level ${level} has ${captures} captures`)
  if (wrong.length > 0)
    add(
      `the statistics in PostgreSQL differ from its captures, or from each other: ${wrong.join(', ')}`,
      'restore a backup of PostgreSQL, then asof cluster reindex',
    )
  if (!isReadable) return
  const all = { from: EARLIEST_AT, to: LATEST_AT }
  for (let i = 0; i < MAX_READS; i++) {
    const [stored, found] = await countBoth(examined, all)
    if (stored === found) return
    const named = await stillDiffering(examined, await differing(examined, all))
    if (named.length === 0) continue
    const missing = named.filter(({ where }) => where === 'PostgreSQL').map(({ id }) => id)
    const extra = named.filter(({ where }) => where === 'OpenSearch').map(({ id }) => id)
    const facts = [`OpenSearch has ${found} of ${stored} captures`]
    if (missing.length > 0) facts.push(`it lacks ${missing.join(', ')}`)
    if (extra.length > 0) facts.push(`it has ${extra.join(', ')}, which PostgreSQL lacks`)
    add(facts.join('; '), REINDEX)
    return
  }
}

/** A capture that only one server has. */
interface Single {
  id: number
  where: 'PostgreSQL' | 'OpenSearch'
}

/** Returns the captures that still differ when they are read again. */
async function stillDiffering(examined: Examined, singles: readonly Single[]): Promise<Single[]> {
  if (singles.length === 0) return []
  const { sql, client, index } = examined
  await settle(examined)
  const ids = singles.map(({ id }) => id)
  const { body } = await client.mget({ index, body: { ids: ids.map(String) }, _source: false } as never)
  const docs = body.docs as unknown as { _id: string; found?: boolean }[]
  const found = new Set(docs.flatMap(({ _id, found: isThere }) => (isThere ? [Number(_id)] : [])))
  const rows = await sql<{ id: number }[]>`select id from capture where id in ${sql(ids)}`
  const stored = new Set(rows.map(({ id }) => id))
  return singles
    .filter(({ id, where }) =>
      where === 'PostgreSQL' ? stored.has(id) && !found.has(id) : found.has(id) && !stored.has(id),
    )
    .slice(0, MAX_NAMED)
}

async function countBoth({ sql, client, index }: Examined, { from, to }: Range): Promise<[number, number]> {
  const [{ captures }] = await sql<[{ captures: number }]>`
    select count(*) as captures from capture where acquired_at between ${from} and ${to}`
  const body = { query: { range: { acquiredAt: { gte: from, lte: to } } } } as never
  const { body: counted } = await client.count({ index, body })
  return [captures, counted.count]
}

/** Halves a range until it has found the captures that only one of the servers has. */
async function differing(examined: Examined, range: Range, named: Single[] = []): Promise<Single[]> {
  if (named.length >= MAX_SUSPECTS) return named
  const [stored, found] = await countBoth(examined, range)
  if (stored === found) return named
  const { from, to } = range
  if (Math.max(stored, found) <= READ_AT_ONCE || from === to)
    return [...named, ...(await idsOfOne(examined, range))].slice(0, MAX_SUSPECTS)
  const middle = Math.floor((from + to) / 2)
  const first = await differing(examined, { from, to: middle }, named)
  return differing(examined, { from: middle + 1, to }, first)
}

async function idsOfOne({ sql, client, index }: Examined, { from, to }: Range): Promise<Single[]> {
  const rows = await sql<{ id: number }[]>`
    select id from capture where acquired_at between ${from} and ${to} order by id limit 10000`
  const { body } = await client.search({
    index,
    body: {
      query: { range: { acquiredAt: { gte: from, lte: to } } },
      size: 10_000,
      _source: false,
      stored_fields: '_none_',
      docvalue_fields: ['id'],
    } as never,
  })
  const hits = body.hits.hits as unknown as { fields: { id: [number] } }[]
  const stored = new Set(rows.map(({ id }) => id))
  const found = new Set(hits.map(({ fields }) => fields.id[0]))
  return [
    ...[...stored].filter(id => !found.has(id)).map(id => ({ id, where: 'PostgreSQL' as const })),
    ...[...found].filter(id => !stored.has(id)).map(id => ({ id, where: 'OpenSearch' as const })),
  ]
}
