import type { PartChange } from '@asof/core/internal'
import type { Queries } from '../queries.ts'

type Statistics = PartChange['statistics'] extends Map<number, infer S> ? S : never

/**
 * The lengths of the stretches of time over which statistics are summed, ms: 1 ms, about a minute, 19 hours and two years. Statistics up to an
 * instant are read from few rows: of each length, only those stretches that are not part of a longer one that is read.
 */
export const LENGTHS_MS = [1, 2 ** 16, 2 ** 26, 2 ** 36] as const

/** Adds the changes of statistics at instants to the sums of all lengths. */
export async function addStatistics(tx: Queries, changes: ReadonlyMap<number, Statistics>): Promise<void> {
  const rows = LENGTHS_MS.flatMap((lengthMs, level) => {
    const sums = new Map<number, Statistics & { level: number; at: number }>()
    for (const [instant, { captures, standing, standingLength, declared, urls }] of changes) {
      const at = Math.floor(instant / lengthMs)
      const sum = sums.get(at) ?? { level, at, captures: 0, standing: 0, standingLength: 0, declared: 0, urls: 0 }
      sum.captures += captures
      sum.standing += standing
      sum.standingLength += standingLength
      sum.declared += declared
      sum.urls += urls
      sums.set(at, sum)
    }
    return [...sums.values()]
  })
  const column = (name: keyof (typeof rows)[number]): number[] => rows.map(row => row[name])
  if (rows.length > 0)
    await tx`
      insert into statistic (level, at, captures, standing, standing_length, declared, urls)
      select * from unnest(${column('level')}::int[], ${column('at')}::bigint[], ${column('captures')}::bigint[],
        ${column('standing')}::bigint[], ${column('standingLength')}::bigint[],
        ${column('declared')}::bigint[], ${column('urls')}::bigint[])
      on conflict (level, at) do update set
        captures = statistic.captures + excluded.captures,
        standing = statistic.standing + excluded.standing,
        standing_length = statistic.standing_length + excluded.standing_length,
        declared = statistic.declared + excluded.declared,
        urls = statistic.urls + excluded.urls`
}

/** Reads the statistics as of an instant: the sums of the changes up to it, inclusive. */
export async function statisticsUpTo(tx: Queries, instant: number): Promise<Statistics> {
  const ranges = LENGTHS_MS.map((lengthMs, level) => {
    const coarserMs = LENGTHS_MS[level + 1]
    const end = level === 0 ? instant + 1 : Math.floor((instant + 1) / lengthMs)
    const start = coarserMs === undefined ? undefined : Math.floor((instant + 1) / coarserMs) * (coarserMs / lengthMs)
    return { level, end, start: start ?? Number.MIN_SAFE_INTEGER }
  })
  const covered = ranges.map(({ level, start, end }) => tx`(level = ${level} and at >= ${start} and at < ${end})`)
  const [total] = await tx<[Statistics]>`
    select coalesce(sum(captures), 0)::bigint as captures, coalesce(sum(standing), 0)::bigint as standing,
      coalesce(sum(standing_length), 0)::bigint as "standingLength",
      coalesce(sum(declared), 0)::bigint as declared, coalesce(sum(urls), 0)::bigint as urls
    from statistic where ${covered.reduce((all, one) => tx`${all} or ${one}`)}`
  return total
}
