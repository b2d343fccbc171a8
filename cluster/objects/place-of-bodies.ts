import { AsofError } from '@asof/core'
import type { Queries } from '../queries.ts'
import type { Bodies } from './bodies.ts'

/** The value of the column `objects` of the state row if the bodies are in PostgreSQL. Else it is the id of the object store. */
const NONE = 'none'

/** The error of a call that needs an object store. */
export function noObjectStore(): AsofError {
  const message = 'the cluster has its bodies in PostgreSQL: there are no objects'
  return new AsofError('ASOF_INVALID_OPTION', message, { details: { field: 'objects' } })
}

/** Records where a new cluster stores its bodies. Does nothing for a cluster that exists. @throws ASOF_INVALID_OPTION */
export async function decidePlace(tx: Queries, bodies: Bodies | undefined): Promise<void> {
  const [{ objects }] = await tx<[{ objects: string | null }]>`select objects from cluster_state`
  if (objects === null) await tx`update cluster_state set objects = ${bodies ? await bodies.take() : NONE}`
}

/**
 * Checks that the cluster stores its bodies in the object store of the caller, or in PostgreSQL if the caller has none.
 *
 * @throws ASOF_INVALID_OPTION, ASOF_STORE_READ
 */
export async function expectPlace(queries: Queries, bodies: Bodies | undefined): Promise<void> {
  const [{ objects }] = await queries<[{ objects: string }]>`select objects from cluster_state`
  if (bodies && objects !== NONE) return bodies.expect(objects)
  if (!bodies && objects === NONE) return
  throw new AsofError(
    'ASOF_INVALID_OPTION',
    bodies
      ? 'the cluster was created without an object store: remove objects (ASOF_CLUSTER_OBJECTS), or use another name'
      : 'the cluster has its bodies in an object store: set objects (ASOF_CLUSTER_OBJECTS) to its URL',
    { details: { field: 'objects' } },
  )
}
