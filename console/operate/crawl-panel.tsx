import { admin } from '../api/admin.ts'
import type { CrawlFailure, CrawlReport, KnownCrawl } from '../api/wire.ts'
import { bytes, count, span } from '../numbers.ts'
import { texts } from '../texts.ts'
import type { CrawlProgress } from './crawl-speeds.ts'
import { ActButton } from './form.tsx'
import { Table } from './table.tsx'

/**
 * A crawl that is running: how fast it is, what sites answer, and what is left.
 *
 * @param props.isAlone - true if its failures are shown elsewhere in the view. Default false.
 */
export function CrawlPanel({ progress, isAlone = false }: { progress: CrawlProgress; isAlone?: boolean }) {
  const { crawl, pagesPerSecond, bytesPerSecond, history } = progress
  const { name, state, watch, report, hosts, queues } = crawl
  const { names } = texts.crawls
  return (
    <section class="card crawl" aria-label={name}>
      <div class="panel-head">
        <h2>
          <a href={`/crawls?name=${encodeURIComponent(name)}`}>{name}</a>{' '}
          <span class={`crawl-state ${state}`}>
            {watch && state === 'running' ? texts.crawls.watching : texts.crawls.states[state]}
          </span>
        </h2>
        {state === 'running' && (
          <ActButton name={texts.crawls.stop} onAct={() => admin.change('crawls/stop', { name })} />
        )}
      </div>
      <dl class="figures">
        <div>
          <dt>{names.speed}</dt>
          <dd>{pagesPerSecond.toFixed(1)}</dd>
        </div>
        <div>
          <dt>{names.transfer}</dt>
          <dd>{bytes(bytesPerSecond)}/s</dd>
        </div>
        <div>
          <dt>{names.fetched}</dt>
          <dd>{count(report?.fetched ?? 0)}</dd>
        </div>
        <div>
          <dt>{names.bytes}</dt>
          <dd>{bytes(report?.bytes ?? 0)}</dd>
        </div>
        <div>
          <dt>{names.queue}</dt>
          <dd>{count(report?.pending ?? 0)}</dd>
        </div>
        <div>
          <dt>{names.duration}</dt>
          <dd>{span(report?.duration_ms ?? 0)}</dd>
        </div>
      </dl>
      <Sparkline values={history} />
      <p class="faint">{texts.crawls.hosts(hosts.active, hosts.waiting, hosts.resting)}</p>
      {report && <Outcomes report={report} />}
      {queues.length > 0 && (
        <details>
          <summary>{texts.crawls.queues}</summary>
          <Table
            label={texts.crawls.queues}
            rows={queues}
            keyOf={({ host }) => host}
            columns={[
              { name: names.host, cell: ({ host }) => host },
              { name: names.queue, isNumber: true, cell: ({ pending }) => count(pending) },
            ]}
          />
        </details>
      )}
      {!isAlone && report && report.failures.length > 0 && (
        <details>
          <summary>{texts.crawls.failures}</summary>
          <Failures failures={report.failures} />
        </details>
      )}
    </section>
  )
}

/** Pages of each of the last 60 seconds. */
function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values)
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${values.length} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label={texts.crawls.chart(most)}
    >
      {values.map((value, i) => (
        <rect key={i} x={i + 0.1} width={0.8} y={20 - (20 * value) / most} height={(20 * value) / most} />
      ))}
    </svg>
  )
}

/** What sites answered, by HTTP status, and what became of the pages. */
export function Outcomes({ report }: { report: CrawlReport }) {
  const { outcomes } = texts.crawls
  const counts = [
    ...Object.entries(report.statuses).map(
      ([status, times]) => [status, times, Number(status) >= 400 ? 'bad' : ''] as const,
    ),
    ...(
      ['stored', 'revised', 'unchanged', 'duplicates', 'removed', 'noindex', 'fresh', 'skipped_by_robots'] as const
    ).map(name => [outcomes[name], report[name], ''] as const),
    ...(['without_text', 'replaced_characters'] as const).map(name => [outcomes[name], report[name], 'bad'] as const),
    ...Object.entries(report.failed).map(([code, times]) => [code, times, 'bad'] as const),
  ].filter(([, times]) => times > 0)
  return (
    <ul class="outcomes">
      {counts.map(([name, times, kind]) => (
        <li key={name} class={kind}>
          {name} <b>{count(times)}</b>
        </li>
      ))}
    </ul>
  )
}

/** URLs that failed, why, and which page links to each. */
export function Failures({ failures }: { failures: readonly CrawlFailure[] }) {
  const { names } = texts.crawls
  return (
    <Table
      label={texts.crawls.failures}
      rows={failures.map((failure, i) => ({ ...failure, i }))}
      keyOf={({ i }) => i}
      columns={[
        { name: names.url, cell: ({ url }) => <span class="url">{url}</span> },
        {
          name: names.reason,
          cell: ({ url, code, message }) => <span title={code}>{message.replace(`${url}: `, '')}</span>,
        },
        {
          name: names.foundOn,
          cell: ({ found_on: page }) =>
            page === null ? <span class="faint">{texts.crawls.isSeed}</span> : <span class="url">{page}</span>,
        },
      ]}
    />
  )
}

/** Goes on with a crawl that has ended, or visits its pages again. */
export function ResumeButton({ crawl, onChange }: { crawl: KnownCrawl; onChange: () => void }) {
  if (!crawl.can_resume || crawl.state === 'running' || crawl.state === 'stopping') return null
  return (
    <ActButton
      name={crawl.state === 'finished' ? texts.crawls.again : texts.crawls.resume}
      onAct={async () => {
        await admin.change('crawls/resume', { name: crawl.name })
        onChange()
      }}
    />
  )
}
