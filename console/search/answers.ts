import { useEffect, useRef, useState } from 'preact/hooks'
import { api, type SearchAnswer } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import type { SearchRequest } from '../api/wire.ts'
import { isLasting } from './lasting.ts'

/** Number of answers that are kept, so that a moment that was seen is shown at once. Only answers that stay the same are kept. */
const MOST_ANSWERS = 400
/** Shortest time between the starts of two searches: a server takes ten requests a second from an address. */
const LEAST_GAP_MS = 105

const known = new Map<string, SearchAnswer>()
let startedAt = Number.NEGATIVE_INFINITY

function keyOf(request: SearchRequest): string {
  return JSON.stringify(request)
}

function remember(request: SearchRequest, answer: SearchAnswer, askedAt: number): void {
  if (!isLasting(request, askedAt)) return
  const [oldest] = known.keys()
  if (known.size >= MOST_ANSWERS && oldest !== undefined) known.delete(oldest)
  known.set(keyOf(request), answer)
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
    const kept = known.get(askedKey)
    if (kept) return show(current, kept)
    startedAt = performance.now()
    const askedAt = Date.now()
    try {
      const answer = await api.search(current)
      remember(current, answer, askedAt)
      show(current, answer)
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.failure === 'rate_limited' && (thrown.retryAfterSeconds ?? 1) <= 2) {
        await wait(1_000 * (thrown.retryAfterSeconds ?? 1))
        return
      }
      setFailure({ key: askedKey, failure: thrown })
      if (wanted.current && keyOf(wanted.current) === askedKey) wanted.current = undefined
    }
  }
  const show = (answered: SearchRequest, answer: SearchAnswer) => {
    setShown({ request: answered, answer })
    if (wanted.current && keyOf(wanted.current) === keyOf(answered)) wanted.current = undefined
  }

  useEffect(() => {
    wanted.current = request
    if (!request || key === undefined) return setShown(undefined)
    setFailure(undefined)
    const kept = known.get(key)
    if (kept) show(request, kept)
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
