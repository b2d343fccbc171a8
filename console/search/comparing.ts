import { useEffect, useRef, useState } from 'preact/hooks'
import type { SearchResponse } from '../api/wire.ts'
import type { Moments } from '../time/moment.ts'
import type { Timeline } from '../time/timeline.ts'
import { answerTo } from './answers.ts'
import type { Displayed } from './displayed.ts'
import { lastDifference } from './last-difference.ts'
import { requestOf, type SearchState } from './search-state.ts'

/** Starts and ends a comparison. It begins where the answer that is shown was last another one. */
export function useComparing(
  timeline: Timeline | undefined,
  state: SearchState,
  { first }: Displayed,
  onMove: (moments: Moments) => void,
): { isSeeking: boolean; toggle: () => void } {
  const [isSeeking, setIsSeeking] = useState(false)
  const seeking = useRef(0)
  const cancel = () => {
    seeking.current++
    setIsSeeking(false)
  }
  // Whoever moves on compares something else.
  useEffect(() => cancel, [state])

  const toggle = () => {
    if (!timeline?.isLong) return
    const { at, against } = state
    if (isSeeking) return cancel()
    if (against !== null) return onMove({ at, against: null })
    const changes = timeline.changes.filter(change => change < (at ?? timeline.now))
    const previous = changes.at(-1)
    if (previous === undefined) return onMove({ at, against: undefined })
    const compareWith = (moment: number) => onMove({ at: moment, against: at })
    if (!first || !requestOf(state, at)) return compareWith(previous)
    const results = listed(first.answer.response)
    const times = first.answer.response.results.flatMap(({ acquired_at: acquired }) => Date.parse(acquired ?? '') || [])
    const isSame = async (moment: number) => {
      if (seeking.current !== turn) throw new DOMException('The reader moved on', 'AbortError')
      const request = requestOf(state, moment)
      return request === undefined || listed((await answerTo(request)).response) === results
    }
    const turn = ++seeking.current
    setIsSeeking(true)
    lastDifference(changes, times.length > 0 ? Math.max(...times) : undefined, isSame)
      // Without an answer to begin with, the moment before is as good as any.
      .then(
        moment => moment ?? changes[0] ?? previous,
        () => previous,
      )
      .then(moment => {
        if (seeking.current !== turn) return
        setIsSeeking(false)
        compareWith(moment)
      })
  }
  return { isSeeking, toggle }
}

/** What the list of an answer shows, as one text. */
function listed({ results }: SearchResponse): string {
  return JSON.stringify(results.map(({ url, acquired_at: acquired }) => [url, acquired]))
}
