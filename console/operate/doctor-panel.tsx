import { useState } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import { ApiError } from '../api/api-error.ts'
import type { DoctorState } from '../api/wire.ts'
import { Failure, messageOf } from '../frame/failure.tsx'
import { useRefreshed } from '../frame/use-loaded.ts'
import { count } from '../numbers.ts'
import { Loading } from '../search/search-view.tsx'
import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'

const REFRESH_MS = 2_000

/** Examines the data folder, and shows what was found. */
export function DoctorPanel() {
  const [loaded, again] = useRefreshed(() => admin.read('doctor'), REFRESH_MS)
  const [failure, setFailure] = useState<string>()
  const start = () => {
    setFailure(undefined)
    admin.change('doctor', {}).then(again, (error: unknown) => setFailure(messageOf(error)))
  }
  const isRunning = loaded.state === 'full' && loaded.value.running
  // A server in an application may have no doctor.
  if (loaded.state === 'failed' && loaded.failure instanceof ApiError && loaded.failure.status === 404) return null
  return (
    <section class="panel">
      <h2>{texts.doctor.title}</h2>
      {loaded.state === 'loading' && <Loading />}
      {loaded.state === 'failed' && <Failure failure={loaded.failure} onRetry={again} />}
      {loaded.state === 'full' && <Report state={loaded.value} />}
      <p>
        <button type="button" class="button" disabled={isRunning || loaded.state !== 'full'} onClick={start}>
          {isRunning ? texts.doctor.running : texts.doctor.start}
        </button>
      </p>
      {failure !== undefined && (
        <p class="bad" role="alert">
          {failure}
        </p>
      )}
      <p class="faint">{texts.doctor.about}</p>
    </section>
  )
}

function Report({ state }: { state: DoctorState }) {
  const { examined_at: at, failure, findings = [], captures = 0, urls = 0, segments = 0 } = state
  if (at === undefined) return <p class="faint">{texts.doctor.never}</p>
  const when = (
    <span class="faint">
      <Instant at={Date.parse(at)} precision="second" />
    </span>
  )
  if (failure !== undefined)
    return (
      <p>
        <span class="bad">{texts.doctor.failed(failure)}</span> {when}
      </p>
    )
  return (
    <>
      <p role="status">
        {findings.length === 0 ? (
          texts.doctor.sound(count(captures), count(urls), count(segments))
        ) : (
          <strong class="bad">{texts.doctor.found(findings.length)}</strong>
        )}{' '}
        {when}
      </p>
      {findings.length > 0 && (
        <ul class="findings">
          {findings.map(finding => (
            <li key={finding} dir="auto">
              {finding}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
