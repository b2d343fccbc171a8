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

/** Says why something could not be loaded. A refusal that ends by itself is retried when the server said. */
export function Failure({ failure, onRetry }: { failure: unknown; onRetry?: () => void }) {
  const waits = failure instanceof ApiError && failure.failure === 'rate_limited'
  const seconds = waits ? (failure.retryAfterSeconds ?? 1) : 0
  const [, setRetried] = useState(0)
  useEffect(() => {
    if (!waits || !onRetry || seconds > 60) return
    const timer = setTimeout(() => {
      setRetried(times => times + 1)
      onRetry()
    }, seconds * 1_000)
    return () => clearTimeout(timer)
  }, [failure])
  return (
    <div class="state failure" role="alert">
      <h2>{texts.errors.title}</h2>
      <p>{messageOf(failure)}</p>
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
