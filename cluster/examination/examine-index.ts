import type { Client } from '@opensearch-project/opensearch'
import { stateIn } from '../stored/database.ts'
import { INDEX_MAPPINGS, INDEX_SETTINGS, writeAlias } from '../terms/index-layout.ts'
import { indexName } from '../terms/term-indices.ts'
import { isCapture } from '../terms/term-queries.ts'
import { type Examined, REINDEX } from './examined.ts'

/** Checks which indices OpenSearch has for the cluster, and which one the alias names. */
export async function examineNames({ client, name, indices, index, add }: Examined): Promise<void> {
  const { number, building, unused } = indices
  if (building !== null)
    add(
      `the index ${indexName(name, building)} is being built, or its build was interrupted`,
      'if no asof cluster reindex is running, run it to go on, or with --abandon to give up',
    )
  if (unused !== null) add(`the index ${indexName(name, unused)} is not used any more`, `${REINDEX}, which deletes it`)
  const known = new Set([number, building, unused].map(one => one !== null && indexName(name, one)))
  const { body: found } = await client.indices.get({ index: `${name}-*`, allow_no_indices: true })
  for (const one of Object.keys(found))
    if (!known.has(one)) add(`OpenSearch has an index ${one} that the cluster does not use`, 'delete it in OpenSearch')
  if (index in found && !(writeAlias(index) in (found[index]?.aliases ?? {})))
    add(`the index ${index} lacks the alias ${writeAlias(index)}, so that nothing can be written`, REINDEX)
  const named = Object.keys(found).filter(one => found[one]?.aliases && name in found[one].aliases)
  if (unused === null && index in found && (named.length !== 1 || named[0] !== index))
    add(
      `the alias ${name} names ${named.join(', ') || 'no index'}, and searches read ${index}`,
      `let it name ${index} in OpenSearch, for tools that use it`,
    )
}

/** Defaults that OpenSearch leaves out when it returns a mapping. */
const DEFAULTS: Record<string, unknown> = { index_options: 'positions' }

/** Checks mapping, similarity and analysis of the index. Returns false if they differ, so that its documents cannot be compared. */
export async function examineLayout({ client, index, add }: Examined): Promise<boolean> {
  const [{ body: mappings }, { body: settings }] = await Promise.all([
    client.indices.getMapping({ index }),
    client.indices.getSettings({ index, flat_settings: true }),
  ])
  const actual = (settings[index]?.settings ?? {}) as Record<string, unknown>
  const differing = [...flat(INDEX_SETTINGS)].flatMap(([key, value]) =>
    String(actual[key]) === String(value) ? [] : [key],
  )
  const properties = (mappings[index]?.mappings?.properties ?? {}) as Record<string, Record<string, unknown>>
  for (const [field, wanted] of Object.entries(INDEX_MAPPINGS.properties))
    for (const [key, value] of Object.entries(wanted))
      if (String(properties[field]?.[key] ?? DEFAULTS[key]) !== String(value)) differing.push(`${field}.${key}`)
  if (differing.length === 0) return true
  add(`the index ${index} is laid out in another way than by this release: ${differing.join(', ')}`, REINDEX)
  return false
}

function* flat(value: unknown, path: readonly string[] = []): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) yield [path.join('.'), value]
  else for (const [key, inner] of Object.entries(value)) yield* flat(inner, [...path, key])
}

interface ShardCopy {
  shard: string
  prirep: string
  state: string
  id: string | null
}

/** Checks each copy of each shard. Returns false if the primary copy of a shard has not started. */
export async function examineCopies(examined: Examined): Promise<boolean> {
  const { client, index, state, add } = examined
  const { body } = await client.cat.shards({ format: 'json', index, h: 'shard,prirep,state,id' } as never)
  const copies = body as unknown as ShardCopy[]
  const lost = new Set<string>()
  const captures = new Map<string, Set<number>>()
  for (const { shard, prirep, state: shardState, id } of copies) {
    const which = `${prirep === 'p' ? 'the primary' : 'a replica'} of shard ${shard} of ${index}`
    if (!['STARTED', 'RELOCATING'].includes(shardState) || id === null) {
      const advice = prirep === 'p' ? `start the nodes that had it; if it is lost, ${REINDEX}` : 'start another node'
      add(`${which} is ${shardState.toLowerCase()}`, advice)
      if (prirep === 'p') lost.add(shard)
      continue
    }
    const preference = `_shards:${shard}|_only_nodes:${id.split(' ')[0]}`
    const hasMarker =
      state.applied === 0 ||
      (await count(client, { index, preference }, { range: { marker: { gte: state.applied } } })) > 0
    if (!hasMarker)
      add(
        `${which} lacks the change ${state.applied}, which was applied`,
        `see whether it recovers; if not, ${REINDEX}`,
      )
    if (state.openAt === null) {
      const counted = await count(client, { index, preference }, isCapture)
      captures.set(shard, new Set([...(captures.get(shard) ?? []), counted]))
    }
  }
  // Copies are counted one after another, and servers may have written meanwhile.
  const isQuiet = (await stateIn(examined.sql)).changes === state.changes
  for (const [shard, counts] of isQuiet ? captures : [])
    if (counts.size > 1)
      add(
        `the copies of shard ${shard} of ${index} have ${[...counts].join(' and ')} captures`,
        'if no server writes, remove the replicas and add them again',
      )
  return lost.size === 0
}

async function count(client: Client, params: { index: string; preference: string }, query: object): Promise<number> {
  const body = { query } as never
  return (await client.count({ ...params, body })).body.count
}
