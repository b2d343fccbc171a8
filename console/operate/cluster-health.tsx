import { bytes, count, span } from '../numbers.ts'
import { texts } from '../texts.ts'
import type { Figures } from './figures.ts'

const statuses = ['red', 'yellow', 'green']

/** The state of the cluster that has the index, as names and values. Values that are unknown are left out. */
export function clusterFacts(figures: Figures): [string, string | undefined][] {
  const { clusterNames: names, answers } = texts.health
  const byLabel = (name: string, label: string) =>
    new Map(figures.values(name).map(({ labels, value }) => [labels[label], value]))
  const up = byLabel('asof_cluster_up', 'server')
  const shards = byLabel('asof_cluster_shards', 'state')
  const status = figures.value('asof_cluster_status')
  const lag = figures.value('asof_cluster_lag_seconds')
  const open = figures.value('asof_cluster_open_changes')
  const total = [...shards.values()].reduce((sum, value) => sum + value, 0)
  const nodes = figures.values('asof_cluster_node_heap_ratio').length
  const objects = figures.value('asof_cluster_objects')
  const objectBytes = [...byLabel('asof_cluster_object_bytes', 'state').values()].reduce((sum, value) => sum + value, 0)
  const stored = objects === undefined ? undefined : names.objects(objects, bytes(objectBytes))
  const isUp = (server: string) => answers(up.get(server) === 1)
  return [
    [names.search, status === undefined ? isUp('opensearch') : (statuses[status] ?? '')],
    [names.database, isUp('postgresql')],
    [names.objectStore, stored ?? (up.has('object_store') ? isUp('object_store') : undefined)],
    [names.nodes, status === undefined ? undefined : count(nodes)],
    [names.shards, status === undefined ? undefined : names.started(shards.get('started') ?? 0, total)],
    [names.lag, lag === undefined ? undefined : lag < 1 ? texts.health.none : span(lag * 1_000)],
    [names.open, open === undefined ? undefined : count(open)],
    [names.uncertain, count(byLabel('asof_cluster_searches_total', 'outcome').get('uncertain') ?? 0)],
    [names.stale, count(figures.value('asof_cluster_stale_total') ?? 0)],
  ]
}

/** The nodes of OpenSearch. */
export function ClusterNodes({ figures }: { figures: Figures }) {
  const { clusterNames: names } = texts.health
  const nodes = figures.values('asof_cluster_node_heap_ratio')
  const free = new Map(
    figures.values('asof_cluster_node_disk_free_bytes').map(({ labels, value }) => [labels.node, value]),
  )
  if (nodes.length === 0) return null
  return (
    <section class="panel">
      <h2>{names.nodesOf}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={names.nodesOf}>
        <table>
          <thead>
            <tr>
              <th scope="col">{names.node}</th>
              <th scope="col" class="number">
                {names.heap}
              </th>
              <th scope="col" class="number">
                {names.disk}
              </th>
            </tr>
          </thead>
          <tbody>
            {nodes.map(({ labels, value }) => (
              <tr key={labels.node}>
                <td class="code">{labels.node}</td>
                <td class="number">{`${Math.round(100 * value)} %`}</td>
                <td class="number">{bytes(free.get(labels.node) ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
