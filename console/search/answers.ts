import { useEffect, useRef, useState } from 'preact/hooks'
import { api, type SearchAnswer } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import type { SearchRequest } from '../api/wire.ts'

/** Number of answers that are kept, so that a moment that was seen is shown at once. */
const MOST_ANSWERS = 400
/** Shortest time between the starts of two searches: a server takes ten requests a second from an address. */
const LEAST_GAP_MS = 105

const known = new Map<string, SearchAnswer>()
let startedAt = Number.NEGATIVE_INFINITY

function keyOf(request: SearchRequest): string {
  return JSON.stringify(request)
}

function remember(key: string, answer: SearchAnswer): void {
  const [oldest] = known.keys()
  if (known.size >= MOST_ANSWERS && oldest !== undefined) known.delete(oldest)
  known.set(key, answer)
}

const wait = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/** An answer, and the request that it answers. */
export interface Shown {
  request: SearchRequest
  answer: SearchAnswer
}

/** What is shown for a request: the last answer stays while the next one is awaited. */
export interface AnswerState {
  shown: Shown | undefined
  isLoading: boolean
  failure: unknown
  retry: () => void
}

/**
 * Answers a request, and each one that replaces it. While the slider is dragged, requests come faster than answers: then one search runs
 * at a time, the newest request is next, and those between are never sent.
 */
export function useAnswer(request: SearchRequest | undefined): AnswerState {
  const [shown, setShown] = useState<Shown>()
  const [failure, setFailure] = useState<{ key: string; failure: unknown }>()
  const [, redraw] = useState(0)
  const wanted = useRef<SearchRequest | undefined>(undefined)
  const isRunning = useRef(false)
  const key = request && keyOf(request)

  const run = async () => {
    if (isRunning.current) return
    isRunning.current = true
    try {
      while (wanted.current !== undefined) await ask(wanted.current)
    } finally {
      isRunning.current = false
    }
  }
  const ask = async (asked: SearchRequest) => {
    const pause = startedAt + LEAST_GAP_MS - performance.now()
    if (pause > 0) await wait(pause)
    // The reader may have moved on during the pause.
    const current = wanted.current ?? asked
    const askedKey = keyOf(current)
    if (known.has(askedKey)) return show(current)
    startedAt = performance.now()
    try {
      remember(askedKey, await api.search(current))
      show(current)
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.failure === 'rate_limited' && (thrown.retryAfterSeconds ?? 1) <= 2) {
        await wait(1_000 * (thrown.retryAfterSeconds ?? 1))
        return
      }
      setFailure({ key: askedKey, failure: thrown })
      if (wanted.current && keyOf(wanted.current) === askedKey) wanted.current = undefined
    }
  }
  const show = (answered: SearchRequest) => {
    const answer = known.get(keyOf(answered))
    if (answer) setShown({ request: answered, answer })
    if (wanted.current && keyOf(wanted.current) === keyOf(answered)) wanted.current = undefined
  }

  useEffect(() => {
    wanted.current = request
    if (!request || key === undefined) return setShown(undefined)
    setFailure(undefined)
    if (known.has(key)) show(request)
    else run()
  }, [key])

  const isAnswered = shown !== undefined && key === keyOf(shown.request)
  const failed = failure !== undefined && failure.key === key ? failure.failure : undefined
  return {
    shown: request ? shown : undefined,
    isLoading: request !== undefined && !isAnswered && failed === undefined,
    failure: failed,
    retry: () => {
      setFailure(undefined)
      wanted.current = request
      redraw(n => n + 1)
      run()
    },
  }
}
