import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { ClusterEngine, ClusterHealth, SearchHealth } from '../../../cluster/index.ts'
import { addFigures, byLabel, single } from './figures.ts'

/** The cluster that has the index of a server. */
export type MeasuredCluster = Pick<ClusterEngine, 'proofs' | 'health' | 'expectServers'>

const states = ['started', 'initializing', 'relocating', 'unassigned']
const statuses = { red: 0, yellow: 1, green: 2 } as const

/** The metrics of a cluster. Figures of a server that does not answer are left out. */
export class ClusterFigures {
  readonly #cluster: MeasuredCluster
  #health: ClusterHealth | undefined

  constructor(registry: Registry, cluster: MeasuredCluster) {
    this.#cluster = cluster
    const gauge = addFigures.bind(undefined, registry, Gauge)
    const counter = addFigures.bind(undefined, registry, Counter)
    const { proofs } = cluster
    counter(['asof_cluster_searches_total', 'Searches of the cluster, by outcome.', 'outcome'], () =>
      byLabel('outcome', { proved: proofs.proved, uncertain: proofs.uncertain }),
    )
    counter(['asof_cluster_widened_total', 'Searches for more candidates than at first.'], () => single(proofs.widened))
    counter(['asof_cluster_stale_total', 'Answers of copies of the term index that were refused as stale.'], () =>
      single(proofs.stale),
    )
    const search = () => (this.#health && 'nodes' in this.#health.search ? [this.#health.search] : [])
    const database = () => (this.#health && 'lagMs' in this.#health.database ? [this.#health.database] : [])
    // Undefined if the bodies are in PostgreSQL, or it does not answer.
    const store = () => this.#health?.objects
    const objects = () => {
      const found = store()
      return found && 'objects' in found ? [found] : []
    }
    gauge(['asof_cluster_up', '1 if the server answers, 0 otherwise.', 'server'], () => {
      const up = { opensearch: search().length, postgresql: database().length }
      return byLabel('server', store() ? { ...up, object_store: objects().length } : up)
    })
    gauge(['asof_cluster_objects', 'Objects in the object store that have bodies of pages.'], () =>
      objects().flatMap(({ objects: stored }) => single(stored)),
    )
    gauge(
      ['asof_cluster_object_bytes', 'Size of bodies in the object store: used by pages, or deleted.', 'state'],
      () =>
        objects().flatMap(({ bytes, usedBytes }) => byLabel('state', { used: usedBytes, deleted: bytes - usedBytes })),
    )
    gauge(['asof_cluster_status', 'State of the term index: 0 red, 1 yellow, 2 green.'], () =>
      search().flatMap(({ status }) => single(statuses[status])),
    )
    gauge(['asof_cluster_shards', 'Copies of shards of the term index, by state.', 'state'], () =>
      search().flatMap(({ shards }) =>
        byLabel(
          'state',
          Object.fromEntries(states.map(state => [state, shards.filter(shard => shard.state === state).length])),
        ),
      ),
    )
    const byNode = (value: (node: SearchHealth['nodes'][number]) => number) =>
      search().flatMap(({ nodes }) => nodes.map(node => ({ labels: { node: node.name }, value: value(node) })))
    gauge(['asof_cluster_node_heap_ratio', 'Used share of the heap of a node of OpenSearch.', 'node'], () =>
      byNode(({ heapPercent }) => heapPercent / 100),
    )
    gauge(['asof_cluster_node_disk_free_bytes', 'Free disk space of a node of OpenSearch.', 'node'], () =>
      byNode(({ diskFreeBytes }) => diskFreeBytes),
    )
    gauge(['asof_cluster_captures', 'Captures, by the server that has them.', 'server'], () => [
      ...search().flatMap(({ captures }) => byLabel('server', { opensearch: captures })),
      ...database().flatMap(({ captures }) => byLabel('server', { postgresql: captures })),
    ])
    gauge(['asof_cluster_open_changes', 'Changes that the term index may still lack.'], () =>
      database().flatMap(({ openChanges }) => single(openChanges)),
    )
    gauge(['asof_cluster_lag_seconds', 'Time since the oldest open change was decided.'], () =>
      database().flatMap(({ lagMs }) => single(lagMs / 1_000)),
    )
  }

  /** Reads the cluster for the next collection. */
  async read(): Promise<void> {
    this.#health = await this.#cluster.health().catch(() => undefined)
  }
}
