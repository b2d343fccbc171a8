import { useEffect, useRef, useState } from 'preact/hooks'
import { api, type SearchAnswer } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import type { SearchRequest } from '../api/wire.ts'
import type { Moment } from '../time/moment.ts'
import { isLasting } from './lasting.ts'
import { MoveBudget } from './move-budget.ts'

/** Number of answers that are kept, so that a moment that was seen is shown at once. Only answers that stay the same are kept. */
const MAX_ANSWERS = 400
/** Shortest time between the starts of two searches: a server takes ten requests a second from an address. */
const MIN_GAP_MS = 105
/** Shortest time between two searches for moments that the reader only passes. */
const MOVE_GAP_MS = 250
/** Time for which the line must rest at a moment before the moment is searched for when the budget of moves is spent. */
const REST_MS = 300

const known = new Map<string, SearchAnswer>()
const moves = new MoveBudget()
let startedAt = Number.NEGATIVE_INFINITY

function keyOf(request: SearchRequest): string {
  return JSON.stringify(request)
}

/** Returns true if two requests differ in nothing but their moment. */
export function isSameSearch(a: SearchRequest, b: SearchRequest): boolean {
  return keyOf({ ...a, query_time: undefined }) === keyOf({ ...b, query_time: undefined })
}

function remember(request: SearchRequest, answer: SearchAnswer, askedAt: number): void {
  if (!isLasting(request, askedAt)) return
  const [oldest] = known.keys()
  if (known.size >= MAX_ANSWERS && oldest !== undefined) known.delete(oldest)
  known.set(keyOf(request), answer)
}

const wait = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/** Searches at once. @throws ApiError */
async function search(request: SearchRequest): Promise<SearchAnswer> {
  startedAt = performance.now()
  const askedAt = Date.now()
  const answer = await api.search(request)
  remember(request, answer, askedAt)
  return answer
}

/** Returns the answer to a request, which is searched for if it is not known. @throws ApiError */
export async function answerTo(request: SearchRequest): Promise<SearchAnswer> {
  const kept = known.get(keyOf(request))
  if (kept) return kept
  await wait(Math.max(0, startedAt + MIN_GAP_MS - performance.now()))
  return await search(request)
}

/** Returns how long playing waits before the search for its next moment, ms; 0 if the answer is known. */
export function playWaitMs(request: SearchRequest | undefined): number {
  return !request || known.has(keyOf(request)) ? 0 : moves.waitMs(performance.now())
}

/** An answer, and the request that it answers. */
export interface Shown {
  request: SearchRequest
  answer: SearchAnswer
}

/** Returns the moment of an answer. */
export function momentOf({ request }: Shown): Moment {
  return request.query_time === undefined ? undefined : Date.parse(request.query_time)
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
 * at a time, the newest request is next, and those between are never sent. Once the budget of moves is spent, only a moment at which the line rests is searched for.
 */
export function useAnswer(request: SearchRequest | undefined): AnswerState {
  const [shown, setShown] = useState<Shown>()
  const [failure, setFailure] = useState<{ key: string; failure: unknown }>()
  const [, redraw] = useState(0)
  const wanted = useRef<SearchRequest | undefined>(undefined)
  const asked = useRef<SearchRequest | undefined>(undefined)
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
  /**
   * Waits until a request may be sent.
   *
   * @returns the newest request; undefined if it was answered meanwhile, or if another one came while the line had to rest.
   */
  const due = async (next: SearchRequest): Promise<SearchRequest | undefined> => {
    const isMove = asked.current !== undefined && isSameSearch(asked.current, next)
    await wait(Math.max(0, startedAt + (isMove ? MOVE_GAP_MS : MIN_GAP_MS) - performance.now()))
    // The reader may have moved on during the pause, also to an answer that is known.
    const current = wanted.current
    if (!current || !isMove || moves.take(performance.now())) return current
    await wait(REST_MS)
    return wanted.current === current ? current : undefined
  }
  const ask = async (next: SearchRequest) => {
    const current = await due(next)
    if (!current) return
    asked.current = current
    const askedKey = keyOf(current)
    try {
      const answer = known.get(askedKey) ?? (await search(current))
      // Meanwhile a known answer may have been shown, or another question asked.
      if (wanted.current && isSameSearch(current, wanted.current)) show(current, answer)
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
