import { useEffect } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import type { KnownCrawl } from '../api/wire.ts'
import { Failure } from '../frame/failure.tsx'
import { useLoaded } from '../frame/use-loaded.ts'
import { count, span } from '../numbers.ts'
import { Loading } from '../search/search-view.tsx'
import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'
import { CrawlForm } from './crawl-form.tsx'
import { CrawlPanel, ResumeButton } from './crawl-panel.tsx'
import type { CrawlProgress } from './crawl-speeds.ts'
import { CrawlView } from './crawl-view.tsx'
import { Guard, OperateHead } from './guard.tsx'
import { Table } from './table.tsx'
import { useRunningCrawls } from './use-running-crawls.ts'

/** Time until the list is loaded again after a crawl began or ended. */
const RELOAD_MS = 500

/** The view at `/crawls`: those that run, a new one, and the ones before. The address says which one is shown alone. */
export function CrawlsView({ query }: { query: URLSearchParams }) {
  const name = query.get('name')
  return <Guard>{name === null ? <Crawls /> : <CrawlView key={name} name={name} />}</Guard>
}

function Crawls() {
  const { running, isLive, reconnect } = useRunningCrawls()
  const [listed, again] = useLoaded('crawls', () => admin.read('crawls/list'))
  const isStale = listed.state === 'full' && isLive && running !== undefined && differs(listed.value.crawls, running)
  useEffect(() => {
    if (!isStale) return
    const timer = setTimeout(again, RELOAD_MS)
    return () => clearTimeout(timer)
  }, [isStale, listed])
  return (
    <div class="operate">
      <OperateHead title={texts.crawls.title} />
      {!isLive && (
        <p class="notice bad-notice" role="alert">
          {texts.crawls.notLive}{' '}
          <button type="button" class="text-button" onClick={reconnect}>
            {texts.errors.retry}
          </button>
        </p>
      )}
      {running?.map(progress => (
        <CrawlPanel key={progress.crawl.name} progress={progress} />
      ))}
      <section class="panel">
        <h2>{texts.crawls.new}</h2>
        <CrawlForm onStarted={again} />
      </section>
      <section class="panel">
        <h2>{texts.crawls.known}</h2>
        {listed.state === 'loading' && <Loading />}
        {listed.state === 'failed' && <Failure failure={listed.failure} onRetry={again} />}
        {listed.state === 'full' && (
          <KnownCrawls crawls={withProgress(listed.value.crawls, running)} onChange={again} />
        )}
      </section>
    </div>
  )
}

function KnownCrawls({ crawls, onChange }: { crawls: readonly KnownCrawl[]; onChange: () => void }) {
  if (crawls.length === 0) return <p class="faint">{texts.crawls.none}</p>
  const { names, states } = texts.crawls
  return (
    <Table
      label={texts.crawls.known}
      rows={crawls}
      keyOf={({ name }) => name}
      columns={[
        { name: names.name, cell: ({ name }) => <a href={`/crawls?name=${encodeURIComponent(name)}`}>{name}</a> },
        { name: names.state, cell: ({ state }) => <span class={`crawl-state ${state}`}>{states[state]}</span> },
        { name: names.started, cell: ({ started_at: at }) => <Instant at={Date.parse(at)} /> },
        { name: names.duration, isNumber: true, cell: ({ report }) => (report ? span(report.duration_ms) : '–') },
        { name: names.fetched, isNumber: true, cell: ({ report }) => count(report?.fetched ?? 0) },
        { name: names.stored, isNumber: true, cell: ({ report }) => count(report?.stored ?? 0) },
        { name: names.failed, isNumber: true, cell: ({ report }) => count(failuresOf(report)) },
        { name: names.acts, cell: crawl => <ResumeButton crawl={crawl} onChange={onChange} /> },
      ]}
    />
  )
}

/** True if the list calls other crawls running than the events do: one began or ended, maybe between two events. */
function differs(crawls: readonly KnownCrawl[], running: readonly CrawlProgress[]): boolean {
  const listed = crawls.filter(({ state }) => state === 'running' || state === 'stopping')
  const names = new Set(running.map(({ crawl }) => crawl.name))
  return listed.length !== names.size || listed.some(({ name }) => !names.has(name))
}

/** The crawls of the list, and the newest report of each that runs. */
function withProgress(crawls: readonly KnownCrawl[], running: readonly CrawlProgress[] = []): KnownCrawl[] {
  return crawls.map(crawl => {
    const progress = running.find(each => each.crawl.name === crawl.name)
    return progress ? { ...crawl, state: progress.crawl.state, report: progress.crawl.report } : crawl
  })
}

function failuresOf(report: KnownCrawl['report']): number {
  return Object.values(report?.failed ?? {}).reduce((sum, times) => sum + times, 0)
}
