import { admin } from '../api/admin.ts'
import { Failure } from '../frame/failure.tsx'
import { useRefreshed } from '../frame/use-loaded.ts'
import { bytes, count, duration, span } from '../numbers.ts'
import { Loading } from '../search/search-view.tsx'
import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'
import { ClusterNodes, clusterFacts } from './cluster-health.tsx'
import { DoctorPanel } from './doctor-panel.tsx'
import { Figures, quantile, type RouteDurations, sumDurations } from './figures.ts'
import { Guard, OperateHead } from './guard.tsx'

const REFRESH_MS = 5_000
const MAX_ROUTES = 30

/** The view at `/health`: how the server is doing. */
export function HealthView() {
  return (
    <Guard>
      <Health />
    </Guard>
  )
}

function Health() {
  const [loaded, again] = useRefreshed(admin.metrics, REFRESH_MS)
  return (
    <div class="operate">
      <OperateHead title={texts.health.title}>
        <span class="faint">{texts.health.refreshed}</span>
      </OperateHead>
      {loaded.state === 'loading' && <Loading />}
      {loaded.state === 'failed' && <Failure failure={loaded.failure} onRetry={again} />}
      {loaded.state === 'full' && <Shown figures={new Figures(loaded.value.metrics)} />}
      <DoctorPanel />
    </div>
  )
}

function Shown({ figures }: { figures: Figures }) {
  const { names } = texts.health
  const durations = figures.durations()
  const seconds = (name: string) => {
    const value = figures.value(name)
    return value === undefined ? undefined : duration(value * 1_000)
  }
  const number = (name: string) => shown(figures.value(name), count)
  const size = (name: string) => shown(figures.value(name), bytes)
  const startedAt = figures.value('process_start_time_seconds')
  const merges = figures.value('asof_engine_merges')
  const vectors = figures.value('asof_engine_vectors')
  const onCluster = figures.values('asof_cluster_up').length > 0
  const groups: { title: string; facts: [string, string | undefined][] }[] = [
    {
      title: texts.health.index,
      facts: [
        [names.captures, number('asof_engine_captures')],
        [names.pages, number('asof_engine_urls')],
        [names.segments, number('asof_engine_segments')],
        [names.merging, merges === undefined ? undefined : merges > 0 ? texts.health.yes : texts.health.no],
        [names.disk, size('asof_engine_bytes')],
        [names.cache, hitShare(figures)],
      ],
    },
    {
      title: texts.health.process,
      facts: [
        [names.memory, size('process_resident_memory_bytes')],
        [names.heap, size('nodejs_heap_size_used_bytes')],
        [names.delay, seconds('nodejs_eventloop_lag_p99_seconds')],
        [names.processor, seconds('process_cpu_seconds_total')],
        [names.uptime, startedAt === undefined ? undefined : span(Date.now() - startedAt * 1_000)],
      ],
    },
    {
      title: texts.health.work,
      facts: [
        [names.requests, count(sumDurations(durations).requests)],
        [names.underWay, number('asof_work_under_way')],
        [names.refused, count(figures.values('asof_refusals_total').reduce((sum, { value }) => sum + value, 0))],
      ],
    },
  ]
  // Without a model there are no vectors, and nothing is said of them.
  if (vectors !== undefined) groups[0]?.facts.splice(2, 0, [names.vectors, count(vectors)])
  if (onCluster) groups.unshift({ title: texts.health.cluster, facts: clusterFacts(figures) })
  return (
    <>
      {figures.value('asof_engine_readable') === 0 && (
        <p class="notice bad-notice" role="alert">
          {texts.health.unreadable}
        </p>
      )}
      <div class="cards">
        {groups.map(({ title, facts }) => (
          <section key={title} class="card">
            <h2>{title}</h2>
            <dl class="facts">
              {facts.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value ?? '–'}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      {onCluster && <ClusterNodes figures={figures} />}
      {startedAt !== undefined && (
        <p class="faint">
          {texts.health.since} <Instant at={startedAt * 1_000} />
        </p>
      )}
      <Latencies durations={durations} />
    </>
  )
}

function shown(value: number | undefined, form: (value: number) => string): string | undefined {
  return value === undefined ? undefined : form(value)
}

/** The share of reads that the cache answered; undefined before the first one. */
function hitShare(figures: Figures): string | undefined {
  const hits = figures.value('asof_engine_cache_hits') ?? 0
  const reads = hits + (figures.value('asof_engine_cache_misses') ?? 0)
  return reads === 0 ? undefined : `${((100 * hits) / reads).toFixed(1)} %`
}

/** The upper bound of a bucket, such as 2.5 ms or 10 s. */
function bound(seconds: number): string {
  if (seconds === Infinity) return texts.health.longer
  return seconds < 1 ? `${Number((seconds * 1_000).toPrecision(3))} ms` : `${seconds} s`
}

function Latencies({ durations }: { durations: readonly RouteDurations[] }) {
  const all = sumDurations(durations)
  if (all.requests === 0) return <p class="faint">{texts.health.noRequests}</p>
  const bars = all.buckets.map(({ seconds, requests }, i) => ({
    seconds,
    requests: requests - (all.buckets[i - 1]?.requests ?? 0),
  }))
  const most = Math.max(...bars.map(({ requests }) => requests))
  return (
    <>
      <section class="panel">
        <h2>{texts.health.latency}</h2>
        <ul class="columns">
          {bars.map(({ seconds, requests }) => {
            const label = bound(seconds)
            return (
              <li key={label} title={texts.health.bucket(requests, label)}>
                <span class="column">
                  <i style={{ height: `${requests === 0 ? 0 : Math.max(2, (100 * requests) / most)}%` }} />
                </span>
                <span class="hidden">{texts.health.bucket(requests, label)}</span>
                <small aria-hidden="true">{label}</small>
              </li>
            )
          })}
        </ul>
      </section>
      <section class="panel">
        <h2>{texts.health.routes}</h2>
        <div class="scroll" tabIndex={0} role="region" aria-label={texts.health.routes}>
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.health.route}</th>
                <th scope="col" class="number">
                  {texts.health.names.requests}
                </th>
                <th scope="col" class="number">
                  p50
                </th>
                <th scope="col" class="number">
                  p99
                </th>
              </tr>
            </thead>
            <tbody>
              {durations.slice(0, MAX_ROUTES).map(route => (
                <tr key={route.route}>
                  <td class="code">{route.route}</td>
                  <td class="number">{count(route.requests)}</td>
                  <td class="number">{duration((quantile(route, 0.5) ?? 0) * 1_000)}</td>
                  <td class="number">{duration((quantile(route, 0.99) ?? 0) * 1_000)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  )
}
