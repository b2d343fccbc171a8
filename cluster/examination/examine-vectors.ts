import { allVectors, StoredModels } from '@asof/core/internal'
import { bufferOf } from '../stored/stored-rows.ts'
import type { Examined } from './examined.ts'

/** The vectors of a model in PostgreSQL. */
interface FoundVectors {
  model: number
  vectors: number
  /** Number of vectors of captures that do not exist. */
  strays: number
}

/** Checks that each model has the recorded number of vectors, and that each vector belongs to a capture. Reads the keys of all vectors. */
export async function examineVectors({ sql, add }: Examined): Promise<void> {
  const [gte, lt] = [bufferOf(allVectors.gte), bufferOf(allVectors.lt)]
  // One statement sees one state of the database; servers write meanwhile.
  const [row] = await sql<[{ models: string | null; found: FoundVectors[] }]>`
    with vector as (
      select ('x' || encode(substring(key from 2 for 4), 'hex'))::bit(32)::bigint as id,
        ('x' || encode(substring(key from 6), 'hex'))::bit(32)::bigint as model
      from value where key >= ${gte} and key < ${lt}
    ), found as (
      select model, count(*) as vectors,
        count(*) filter (where not exists (select from capture where capture.id = vector.id)) as strays
      from vector group by model
    )
    select models, (select coalesce(json_agg(found), '[]') from found) as found from cluster_state`
  const counts = new Map(row.found.map(({ model, vectors }) => [model, vectors]))
  const wrong = StoredModels.decoded(row.models).all.filter(({ id, vectors }) => (counts.get(id) ?? 0) !== vectors)
  const strays = row.found.reduce((sum, found) => sum + found.strays, 0)
  const facts = wrong.map(({ id, model, vectors }) => `${model} has ${counts.get(id) ?? 0} of ${vectors}`)
  if (strays > 0) facts.push(`${strays} have no capture`)
  if (facts.length > 0)
    add(
      `the vectors in PostgreSQL are not those of its captures: ${facts.join(', ')}`,
      'restore a backup of PostgreSQL',
    )
}
