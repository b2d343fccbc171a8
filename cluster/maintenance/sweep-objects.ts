import type { ClusterOptions } from '../cluster-options.ts'
import { noObjectStore } from '../objects/place-of-bodies.ts'
import { serverFailure } from '../server-failures.ts'
import { ClusterDatabase } from '../stored/database.ts'
import { UnusedObjects } from '../stored/unused-objects.ts'
import { expectCreated } from './with-servers.ts'

/** Frees space in the object store of a cluster. `deleted` is the number of objects that belonged to no change. */
export async function sweepObjects({
  database: url,
  name = 'asof',
  objects,
  now = Date.now,
}: Pick<ClusterOptions, 'database' | 'name' | 'objects' | 'now'>): Promise<{ deleted: number }> {
  await expectCreated({ database: url, name })
  try {
    const database = await ClusterDatabase.open(url, name, objects)
    try {
      if (!database.bodies) throw noObjectStore()
      const unused = new UnusedObjects(database, database.bodies)
      await unused.delete()
      return { deleted: await unused.sweep(now()) }
    } finally {
      await database.close()
    }
  } catch (error) {
    throw serverFailure(error)
  }
}
