import { useEffect } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import type { KnownCrawl } from '../api/wire.ts'
import { DeadEnd } from '../frame/dead-end.tsx'
import { Failure } from '../frame/failure.tsx'
import { useLoaded, useRefreshed } from '../frame/use-loaded.ts'
import { bytes, count, span } from '../numbers.ts'
import { Loading } from '../search/search-view.tsx'
import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'
import { CrawlPanel, Failures, Outcomes, ResumeButton } from './crawl-panel.tsx'
import { OperateHead } from './guard.tsx'
import { useRunningCrawls } from './use-running-crawls.ts'

const MAX_FAILURES = 1_000
const REFRESH_MS = 10_000

/** One crawl: its progress or its report, and its failures. */
export function CrawlView({ name }: { name: string }) {
  const { running } = useRunningCrawls()
  const progress = running?.find(({ crawl }) => crawl.name === name)
  const isRunning = running && progress !== undefined
  const [listed, again] = useLoaded('crawls', () => admin.read('crawls/list'))
  const [failures, failuresAgain] = useLoaded(`failures ${name}`, () =>
    admin.read('crawls/failures', { name, limit: String(MAX_FAILURES) }),
  )
  useEffect(() => {
    if (isRunning === undefined || listed.state === 'loading') return
    again()
    failuresAgain()
  }, [isRunning])
  if (listed.state === 'loading') return <Loading />
  if (listed.state === 'failed') return <Failure failure={listed.failure} onRetry={again} />
  const crawl = listed.value.crawls.find(each => each.name === name)
  if (!crawl) return <DeadEnd title={texts.crawls.missing} text={texts.crawls.missingText} />
  return (
    <div class="operate">
      <p>
        <a href="/crawls">{texts.crawls.title}</a>
      </p>
      <OperateHead title={name}>
        <ResumeButton crawl={crawl} onChange={again} />
      </OperateHead>
      {progress ? <CrawlPanel progress={progress} isAlone /> : <Report crawl={crawl} />}
      {progress && <NextVisits name={name} />}
      <section class="panel">
        <h2>{texts.crawls.failures}</h2>
        {failures.state === 'loading' && <Loading />}
        {failures.state === 'failed' && <Failure failure={failures.failure} onRetry={failuresAgain} />}
        {failures.state === 'full' &&
          (failures.value.failures.length === 0 ? (
            <p class="faint">{texts.crawls.noFailures}</p>
          ) : (
            <Failures failures={failures.value.failures} />
          ))}
        {failures.state === 'full' && failures.value.failures.length === MAX_FAILURES && (
          <p class="faint">{texts.crawls.moreFailures}</p>
        )}
      </section>
    </div>
  )
}

/** How many URLs of a running crawl are visited when: for the first time, or again. */
function NextVisits({ name }: { name: string }) {
  const [due] = useRefreshed(() => admin.read('crawls/due', { name }), REFRESH_MS)
  if (due.state !== 'full') return null
  return (
    <section class="panel">
      <h2>{texts.crawls.dueTitle}</h2>
      <dl class="figures">
        {(['now', 'hour', 'day', 'later'] as const).map(when => (
          <div key={when}>
            <dt>{texts.crawls.due[when]}</dt>
            <dd>{count(due.value[when])}</dd>
          </div>
        ))}
      </dl>
      {!due.value.complete && <p class="faint">{texts.crawls.duePart}</p>}
    </section>
  )
}

function Report({ crawl }: { crawl: KnownCrawl }) {
  const { names, states } = texts.crawls
  const { report, state, failure, started_at: startedAt, ended_at: endedAt } = crawl
  return (
    <section class="card crawl" aria-label={texts.crawls.report}>
      <p>
        <span class={`crawl-state ${state}`}>{states[state]}</span>{' '}
        <span class="faint">
          <Instant at={Date.parse(startedAt)} precision="second" />
          {endedAt !== null && (
            <>
              {' – '}
              <Instant at={Date.parse(endedAt)} precision="second" />
            </>
          )}
        </span>
      </p>
      <p class="faint">{texts.crawls.stateTexts[state]}</p>
      {failure !== null && <p class="bad">{failure}</p>}
      {report && (
        <>
          <dl class="figures">
            {[
              [names.fetched, count(report.fetched)],
              [names.stored, count(report.stored)],
              [names.bytes, bytes(report.bytes)],
              [names.queue, count(report.pending)],
              [names.duration, span(report.duration_ms)],
            ].map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <Outcomes report={report} />
        </>
      )}
    </section>
  )
}
