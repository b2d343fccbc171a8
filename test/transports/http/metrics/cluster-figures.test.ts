import { Registry } from '@prometheus-io/client'
import { describe, expect, it } from 'vitest'
import type { ClusterHealth } from '../../../../cluster/index.ts'
import { ClusterFigures } from '../../../../transports/http/metrics/cluster-figures.ts'

const proofs = { proved: 3, uncertain: 1, widened: 2, stale: 0 }
const search: ClusterHealth['search'] = {
  version: '3.6.0',
  status: 'green',
  captures: 6,
  bytes: 100,
  shards: [],
  nodes: [{ name: 'a', heapPercent: 40, diskFreeBytes: 9, diskBytes: 10, isManager: true }],
}
const database: ClusterHealth['database'] = {
  version: '15.18',
  captures: 6,
  urls: 5,
  bytes: 100,
  openChanges: 1,
  lagMs: 2_000,
  safeInstant: 5,
}
const failure = { failure: 'cannot be reached' }

/** The values of the metrics that change with the health of a cluster, by name and labels. */
async function metricsOf(health: Partial<ClusterHealth>): Promise<string[]> {
  const registry = new Registry()
  const figures = new ClusterFigures(registry, {
    proofs,
    expectServers: async () => {},
    health: async () => ({ name: 'asof', database, search, ...health }),
  })
  await figures.read()
  const lines = (await registry.metrics()).split('\n').filter(line => line.startsWith('asof_cluster_'))
  return lines.filter(line => !/_total|_shards|_node_/.test(line)).map(line => line.slice('asof_cluster_'.length))
}

describe('the metrics of a cluster', () => {
  it('have the objects of an object store', async () => {
    expect(await metricsOf({ objects: { objects: 2, bytes: 100, usedBytes: 70 } })).toEqual([
      'up{server="opensearch"} 1',
      'up{server="postgresql"} 1',
      'up{server="object_store"} 1',
      'objects 2',
      'object_bytes{state="used"} 70',
      'object_bytes{state="deleted"} 30',
      'status 2',
      'captures{server="opensearch"} 6',
      'captures{server="postgresql"} 6',
      'open_changes 1',
      'lag_seconds 2',
    ])
  })

  it('name no object store if there is none', async () => {
    expect((await metricsOf({})).filter(line => line.includes('object'))).toEqual([])
  })

  it('have no figures of servers that do not answer', async () => {
    expect(await metricsOf({ search: failure, objects: failure })).toEqual([
      'up{server="opensearch"} 0',
      'up{server="postgresql"} 1',
      'up{server="object_store"} 0',
      'captures{server="postgresql"} 6',
      'open_changes 1',
      'lag_seconds 2',
    ])
    expect(await metricsOf({ database: failure })).toEqual([
      'up{server="opensearch"} 1',
      'up{server="postgresql"} 0',
      'status 2',
      'captures{server="opensearch"} 6',
    ])
  })
})
