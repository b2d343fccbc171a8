import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { api } from '../api/api.ts'
import type { SearchResponse } from '../api/wire.ts'
import { Failure } from '../frame/failure.tsx'
import { Icon } from '../frame/icons.tsx'
import { navigate } from '../frame/location.ts'
import { useShortcuts } from '../frame/shortcuts.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { duration } from '../numbers.ts'
import { texts } from '../texts.ts'
import { dayText, type Moments, momentText } from '../time/moment.ts'
import { TimeSlider } from '../time/time-slider.tsx'
import { Timeline } from '../time/timeline.ts'
import { visibleText } from '../visible-text.ts'
import { isSameSearch, momentOf, playWaitMs, type Shown, useAnswer } from './answers.ts'
import { comparedSearch, useComparing } from './comparing.ts'
import { Comparison } from './comparison.tsx'
import { CopyAs } from './copy-as.tsx'
import { useDisplayed } from './displayed.ts'
import { Timings } from './explanation.tsx'
import { Facets } from './facets.tsx'
import { Filters } from './filters.tsx'
import { movesBetween } from './ranks.ts'
import { ReceiptTable } from './receipt.tsx'
import { ResultList } from './result-list.tsx'
import { SearchBox } from './search-box.tsx'
import {
  addressOf,
  MAX_RESULTS,
  momentParameter,
  RESULTS,
  readSearchState,
  requestOf,
  type SearchState,
} from './search-state.ts'

/** The view at `/`: the search box, the slider, and the answer. */
export function SearchView({ query }: { query: URLSearchParams }) {
  const state = useMemo(() => readSearchState(query, Date.now()), [query.toString()])
  const [isPlaying, setIsPlaying] = useState(false)
  const [explains, setExplains] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const [history] = useLoaded('captures', api.captures)
  const timeline = useMemo(
    () => (history.state === 'full' ? new Timeline(history.value, Date.now()) : undefined),
    [history.state],
  )
  const asked = state.against === null ? state : comparedSearch(state)
  const answer = useAnswer(requestOf(asked, state.at))
  const other = useAnswer(state.against === null ? undefined : requestOf(asked, state.against))
  const displayed = useDisplayed(state, [answer, other])
  const comparing = useComparing(timeline, state, displayed, moments => moveTo(moments))

  const change = (part: Partial<SearchState>, replace = false) =>
    navigate(addressOf({ ...state, results: RESULTS, page: 1, ...part }), replace)
  const moveTo = (moments: Moments) => navigate(addressOf({ ...state, ...moments }), true)
  const step = (steps: number) => {
    setIsPlaying(false)
    if (timeline?.isLong) moveTo({ at: timeline.step(state.at, steps), against: state.against })
  }

  useEffect(() => {
    document.title = state.query === '' ? 'asof' : `${state.query} · asof`
  }, [state.query])
  useEffect(() => {
    if (state.query === '') input.current?.focus()
  }, [])
  useShortcuts({
    '/': () => {
      input.current?.focus()
      input.current?.select()
    },
    '[': () => step(-1),
    ']': () => step(1),
    p: () => {
      if (!timeline?.isLong) return
      if (!isPlaying && state.at === undefined) moveTo({ at: timeline.changes[0], against: state.against })
      setIsPlaying(!isPlaying)
    },
    c: comparing.toggle,
    e: () => setExplains(!explains),
    Escape: () => {
      // Closes the innermost of what is open.
      const close = [
        isPlaying && (() => setIsPlaying(false)),
        explains && (() => setExplains(false)),
        (comparing.isSeeking || state.against !== null) && comparing.toggle,
      ].find(each => each !== false)
      return close ? close() : false
    },
    ArrowDown: () => focusResult(1),
    ArrowUp: () => focusResult(-1) || input.current?.focus(),
    j: () => focusResult(1),
    k: () => focusResult(-1),
  })

  const isHome = state.query.trim() === ''
  return (
    <div class={`search-view${isHome ? ' home-view' : ''}`}>
      <h1 class={isHome ? 'hero' : 'hidden'}>{isHome ? texts.search.heading : texts.search.title}</h1>
      <SearchBox
        query={state.query}
        queryTime={momentParameter(state.at)}
        inputRef={input}
        onSearch={text => change({ query: text })}
        onSite={site => change({ site, query: state.query || `site:${site}` })}
        onLeave={() => focusResult(1)}
      />
      {timeline && timeline.captures > 0 && (
        <TimeSlider
          timeline={timeline}
          at={state.at}
          against={state.against}
          shown={displayed.moments}
          unread={state.unread}
          isPlaying={isPlaying}
          isLoading={displayed.isLoading}
          isSeeking={comparing.isSeeking}
          waitMs={moment => playWaitMs(requestOf(asked, moment))}
          onMove={moveTo}
          onPlay={setIsPlaying}
          onCompare={comparing.toggle}
        />
      )}
      {history.state === 'loading' && <div class="time placeholder" aria-hidden="true" />}
      <div
        class={`progress${displayed.isLoading || comparing.isSeeking ? ' runs' : ''}`}
        role="progressbar"
        aria-label={texts.search.loading}
      />
      {state.unread !== undefined ? (
        <div class="state failure" role="alert">
          <h2>{texts.time.unread(visibleText(state.unread))}</h2>
          <p>{texts.time.forms}</p>
        </div>
      ) : isHome ? (
        <Home timeline={timeline} failure={history.state === 'failed' ? history.failure : undefined} />
      ) : (
        <>
          <Filters state={state} onChange={change} />
          {displayed.failed ? (
            <Failure failure={displayed.failed.failure} onRetry={displayed.failed.retry} />
          ) : !displayed.first ? (
            displayed.isLoading && <Loading />
          ) : state.against === null || !displayed.second ? (
            <Answer
              state={state}
              shown={displayed.first}
              isLoading={displayed.isLoading}
              explains={explains}
              onExplain={() => setExplains(!explains)}
              onChange={change}
            />
          ) : (
            <div class="answers" aria-busy={displayed.isLoading}>
              <Comparison a={displayed.first} b={displayed.second} />
            </div>
          )}
        </>
      )}
    </div>
  )
}

/** Moves the focus to the next or previous result. Returns true if there is one. */
function focusResult(by: number): boolean {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('#content .result-link')]
  const current = links.indexOf(document.activeElement as HTMLAnchorElement)
  const next = links[current < 0 ? (by > 0 ? 0 : -1) : current + by]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
  return next !== undefined
}

function Home({ timeline, failure }: { timeline: Timeline | undefined; failure: unknown }) {
  if (failure !== undefined) return <Failure failure={failure} onRetry={() => location.reload()} />
  if (!timeline) return null
  if (timeline.captures === 0) {
    return (
      <div class="state">
        <h2>{texts.search.introEmpty}</h2>
        <p>{texts.search.introEmptyText}</p>
        <pre>
          <code>{texts.search.introEmptyCommands.join('\n')}</code>
        </pre>
      </div>
    )
  }
  return (
    <div class="intro">
      <p>{texts.search.intro(timeline.captures, timeline.urls, dayText(timeline.start))}</p>
      <ul class="hints">
        {texts.search.hints.map(hint => (
          <li key={hint}>{hint}</li>
        ))}
      </ul>
    </div>
  )
}

/** The results of the answer that was shown before, if it was the same search as of another moment. */
function usePreviousResults(shown: Shown) {
  const last = useRef<{ current: Shown | undefined; previous: Shown | undefined }>({
    current: undefined,
    previous: undefined,
  })
  if (last.current.current !== shown) last.current = { current: shown, previous: last.current.current }
  const { previous } = last.current
  return previous && isSameSearch(previous.request, shown.request) ? previous.answer.response.results : undefined
}

interface AnswerProps {
  state: SearchState
  shown: Shown
  isLoading: boolean
  explains: boolean
  onExplain: () => void
  onChange: (change: Partial<SearchState>, replace?: boolean) => void
}

function Answer({ state, shown, isLoading, explains, onExplain, onChange }: AnswerProps) {
  const at = momentOf(shown)
  const previous = usePreviousResults(shown)
  const moves = useMemo(
    () => (previous ? movesBetween(previous, shown.answer.response.results) : undefined),
    [shown, previous],
  )
  const { response, receipt, roundTripMs } = shown.answer
  const { results, warning, explain, facets } = response
  const first = shown.request.offset ?? 0
  const ms = duration(explain?.timings.total_ms ?? roundTripMs)
  return (
    <div class="answer answers" aria-busy={isLoading}>
      <div class="answer-main">
        <div class="answer-head">
          <p role="status">
            {response.total
              ? texts.search.part(
                  first + 1,
                  first + results.length,
                  texts.search.total(response.total.value, response.total.exact),
                  ms,
                )
              : texts.search.found(results.length, ms)}
          </p>
          <button type="button" class="button small" aria-pressed={explains} onClick={onExplain} title="E">
            <Icon name="explain" />
            {texts.explain.show}
          </button>
        </div>
        {warning && (
          <p class="warning">
            <strong>{texts.search.warning}</strong> {warning}
          </p>
        )}
        {results.length === 0 && (
          <div class="state">
            <h2>{at === undefined ? texts.search.none : texts.search.noneAt(momentText(at))}</h2>
            <p>{texts.search.noneText}</p>
          </div>
        )}
        <ResultList response={response} at={at} first={first} moves={moves} explains={explains} />
        <MoreResults state={state} response={response} onChange={onChange} />
      </div>
      <aside class="answer-side" aria-label={texts.explain.title}>
        {facets && <Facets facets={facets} results={results} state={state} onChange={onChange} />}
        {explain && (
          <details open={isWide()}>
            <summary>{texts.explain.timings}</summary>
            <Timings explain={explain} roundTripMs={roundTripMs} />
          </details>
        )}
        {receipt && (
          <details open={isWide()}>
            <summary>{texts.receipt.title}</summary>
            <ReceiptTable receipt={receipt} />
          </details>
        )}
        <details open={isWide()}>
          <summary>{texts.copy.title}</summary>
          <CopyAs request={shown.request} />
        </details>
      </aside>
    </div>
  )
}

/** Shows more results in the list, and then page by page. */
function MoreResults({
  state,
  response: { results, total, next },
  onChange,
}: Pick<AnswerProps, 'state' | 'onChange'> & { response: SearchResponse }) {
  const hasMore = total ? next !== undefined : results.length === state.results
  if (state.page === 1 && !hasMore) return null
  if (state.page === 1 && !total && state.results < MAX_RESULTS) {
    return (
      <button
        type="button"
        class="button more"
        onClick={() => onChange({ results: Math.min(MAX_RESULTS, state.results + RESULTS) }, true)}
      >
        {texts.search.more}
      </button>
    )
  }
  const toPage = (page: number) => {
    onChange({ results: state.results, page })
    scrollTo({ top: 0 })
  }
  return (
    <nav class="pager" aria-label={texts.search.pages}>
      <button type="button" class="button" disabled={state.page === 1} onClick={() => toPage(state.page - 1)}>
        {texts.search.previousPage}
      </button>
      <span>{texts.search.page(state.page)}</span>
      <button type="button" class="button" disabled={!hasMore} onClick={() => toPage(state.page + 1)}>
        {texts.search.nextPage}
      </button>
    </nav>
  )
}

/** True if the side column has room beside the results; on a narrow screen its parts are folded below them. */
function isWide(): boolean {
  return matchMedia('(min-width: 62rem)').matches
}

/** What is shown until the first answer arrives. */
export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="hidden">{texts.search.loading}</span>
      {[0, 1, 2, 3].map(place => (
        <div key={place} class="skeleton" aria-hidden="true">
          <i />
          <i />
          <i />
        </div>
      ))}
    </div>
  )
}
