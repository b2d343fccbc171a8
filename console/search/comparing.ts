import { useEffect, useRef, useState } from 'preact/hooks'
import type { SearchResponse } from '../api/wire.ts'
import type { Moments } from '../time/moment.ts'
import type { Timeline } from '../time/timeline.ts'
import { answerTo } from './answers.ts'
import type { Displayed } from './displayed.ts'
import { lastDifference } from './last-difference.ts'
import { requestOf, type SearchState } from './search-state.ts'

/** Returns the search that is made as of both moments of a comparison: the first page of results, without facets. */
export function comparedSearch(state: SearchState): SearchState {
  return { ...state, page: 1, facets: [] }
}

/** Starts and ends a comparison of the current moment with the last one before at which the answer was different. */
export function useComparing(
  timeline: Timeline | undefined,
  state: SearchState,
  { first, isLoading }: Displayed,
  onMove: (moments: Moments) => void,
): { isSeeking: boolean; toggle: () => void } {
  const [isSeeking, setIsSeeking] = useState(false)
  const seeking = useRef(0)
  const cancel = () => {
    seeking.current++
    setIsSeeking(false)
  }
  // A change of the search or its moment ends the seeking.
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
    const search = comparedSearch(state)
    const current = requestOf(search, at)
    if (!current) return compareWith(previous)
    const turn = ++seeking.current
    const seek = async () => {
      const isShown = first !== undefined && !isLoading && state.page === 1
      const { response } = isShown ? first.answer : await answerTo(current)
      const results = listed(response)
      const times = response.results.flatMap(({ acquired_at: acquired }) => Date.parse(acquired ?? '') || [])
      const isSame = async (moment: number) => {
        if (seeking.current !== turn) throw new DOMException('The reader moved on', 'AbortError')
        const request = requestOf(search, moment)
        return request === undefined || listed((await answerTo(request)).response) === results
      }
      return await lastDifference(changes, times.length > 0 ? Math.max(...times) : undefined, isSame)
    }
    setIsSeeking(true)
    seek()
      .then(
        // An answer that has always been the same is compared with the first one.
        moment => moment ?? changes[0] ?? previous,
        // What could not be searched here fails in the comparison too, which says why.
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

/** Returns the results of an answer as one text. It is the same for two answers with the same results. */
function listed({ results }: SearchResponse): string {
  return JSON.stringify(results.map(({ url, acquired_at: acquired }) => [url, acquired]))
}
