import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { texts } from '../texts.ts'

/** Says why something failed. */
export function messageOf(failure: unknown): string {
  if (!(failure instanceof ApiError)) return texts.errors.broken
  if (failure.failure === 'offline') return texts.errors.offline
  if (failure.failure === 'unexpected') return texts.errors.unexpected
  if (failure.failure === 'rate_limited') return texts.errors.rateLimited(failure.retryAfterSeconds ?? 1)
  return failure.problems.length > 0 ? texts.errors.invalid : failure.message
}

/** Counts a wait down. @returns the seconds that are left; undefined if nothing is waited for. */
function useSecondsLeft(failure: unknown, onEnd: (() => void) | undefined): number | undefined {
  const seconds =
    failure instanceof ApiError && failure.failure === 'rate_limited' ? (failure.retryAfterSeconds ?? 1) : undefined
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    setLeft(seconds)
    if (seconds === undefined) return
    const endsAt = Date.now() + 1_000 * seconds
    const timer = setInterval(() => {
      const still = Math.ceil((endsAt - Date.now()) / 1_000)
      setLeft(Math.max(0, still))
      if (still > 0) return
      clearInterval(timer)
      onEnd?.()
    }, 1_000)
    return () => clearInterval(timer)
  }, [failure])
  return left
}

/** Says why something could not be loaded. A refusal that ends by itself is counted down, and then tried again. */
export function Failure({ failure, onRetry }: { failure: unknown; onRetry?: () => void }) {
  const left = useSecondsLeft(failure, onRetry)
  return (
    <div class="state failure" role="alert">
      <h2>{texts.errors.title}</h2>
      {left === undefined ? (
        <p>{messageOf(failure)}</p>
      ) : (
        // A screen reader says the wait once, and not every second.
        <p aria-live="off">{texts.errors.rateLimited(left)}</p>
      )}
      {failure instanceof ApiError && failure.problems.length > 0 && (
        <ul>
          {failure.problems.map(({ path, reason }) => (
            <li key={path}>
              {path !== '' && <code>{path}</code>} {reason}
            </li>
          ))}
        </ul>
      )}
      {failure instanceof ApiError && failure.requestId && (
        <p class="faint">{texts.errors.request(failure.requestId)}</p>
      )}
      {failure instanceof ApiError && failure.status === 401 && (
        <a
          class="button primary"
          href={`/sign-in?to=${encodeURIComponent(location.pathname + location.search + location.hash)}`}
        >
          {texts.signIn.title}
        </a>
      )}
      {onRetry && (
        <button type="button" class="button" onClick={onRetry}>
          {texts.errors.retry}
        </button>
      )}
    </div>
  )
}
