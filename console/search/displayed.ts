import { useEffect, useRef, useState } from 'preact/hooks'
import type { Moments } from '../time/moment.ts'
import { type AnswerState, isSameSearch, momentOf, type Shown } from './answers.ts'
import type { SearchState } from './search-state.ts'

/** Time for which the results of another question stay, while those of the new one are awaited. */
const OTHER_QUESTION_MS = 150

/** What the list shows while the address may already ask for something else. Heading, count and list are all of it. */
export interface Displayed {
  /** The answer as of the first moment. Undefined until it has come. */
  first: Shown | undefined
  /** The answer as of the second moment, if two are compared. */
  second: Shown | undefined
  /** The moments of these answers; those of the address until they have come. */
  moments: Moments
  isLoading: boolean
  failed: AnswerState | undefined
}

/**
 * Decides what the list shows: the last whole answer, until the next one has come. Two answers that are compared change together, so that one
 * of another search is never beside them.
 *
 * @param answers - to the request of the address, and to the same one as of the second moment.
 */
export function useDisplayed(state: SearchState, [a, b]: readonly [AnswerState, AnswerState]): Displayed {
  const isComparing = state.against !== null
  const isLoading = a.isLoading || (isComparing && b.isLoading)
  // A comparison begins when both answers have come; after that, each change of one of them is shown.
  const last = useRef<{ first?: Shown | undefined; second?: Shown }>({})
  if (!isComparing) last.current = { first: a.shown }
  else if (a.shown && b.shown && isSameSearch(a.shown.request, b.shown.request) && (!isLoading || last.current.second))
    last.current = { first: a.shown, second: b.shown }
  const failed = [a, ...(isComparing ? [b] : [])].find(({ failure }) => failure !== undefined)
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
