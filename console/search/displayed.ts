import { useEffect, useRef, useState } from 'preact/hooks'
import type { Moments } from '../time/moment.ts'
import { type AnswerState, isSameSearch, momentOf, type Shown } from './answers.ts'
import type { SearchState } from './search-state.ts'

/** Time for which the results of another query stay on the screen while those of the new one are awaited. */
const OTHER_QUESTION_MS = 150

/** The answers on the screen. While the next ones are awaited, heading, count and list all show the ones before. */
export interface Displayed {
  /** The answer as of the first moment. Undefined until it has come. */
  first: Shown | undefined
  /** The answer as of the second moment, if two are compared. */
  second: Shown | undefined
  /** The moments of these answers. Until there are answers, the moments of the address. */
  moments: Moments
  isLoading: boolean
  failed: AnswerState | undefined
}

/**
 * Returns the answers to show: the last ones, until the next ones have come. Two compared answers always belong to the same search, so both
 * are replaced together when the search changes.
 *
 * @param answers - the answer to the request of the address, and to the same request as of the second moment.
 */
export function useDisplayed(state: SearchState, [a, b]: readonly [AnswerState, AnswerState]): Displayed {
  const isComparing = state.against !== null
  const isLoading = a.isLoading || (isComparing && b.isLoading)
  // A comparison begins when both answers have come; after that, each change of one of them is shown.
  const last = useRef<{ first?: Shown | undefined; second?: Shown }>({})
  if (!isComparing) last.current = { first: a.shown }
  else if (a.shown && b.shown && isSameSearch(a.shown.request, b.shown.request) && (!isLoading || last.current.second))
    last.current = { first: a.shown, second: b.shown }
  const failed = (isComparing ? [a, b] : [a]).find(({ failure }) => failure !== undefined)
  const { first, second } = last.current
  const isOther = first !== undefined && first.request.query !== state.query
  const isOutdated = useLasts(isLoading && isOther, OTHER_QUESTION_MS)
  if (!first || failed || isOutdated) {
    const moments = { at: state.at, against: state.against }
    return { first: undefined, second: undefined, moments, isLoading, failed }
  }
  const moments = { at: momentOf(first), against: second ? momentOf(second) : null }
  return { first, second, moments, isLoading, failed }
}

/** Returns true once a state has lasted for a time. */
function useLasts(isSo: boolean, ms: number): boolean {
  const [hasLasted, setHasLasted] = useState(false)
  useEffect(() => {
    if (!isSo) return setHasLasted(false)
    const timer = setTimeout(() => setHasLasted(true), ms)
    return () => clearTimeout(timer)
  }, [isSo, ms])
  return isSo && hasLasted
}
