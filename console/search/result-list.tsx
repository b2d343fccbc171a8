import { useLayoutEffect, useRef } from 'preact/hooks'
import type { SearchResponse } from '../api/wire.ts'
import { Icon } from '../frame/icons.tsx'
import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'
import { isoText, type Moment } from '../time/moment.ts'
import { pathOf, visibleText, visibleUrl } from '../visible-text.ts'
import { ScoreParts } from './explanation.tsx'
import { Highlighted } from './highlighted.tsx'
import type { Move } from './ranks.ts'
import { hostOf } from './search-box.tsx'

type Result = SearchResponse['results'][number]

const MOVE_MS = 280

interface Props {
  response: SearchResponse
  at: Moment
  /** Number of results before the first one. */
  first: number
  /** What became of each result since the answer before, if that was the same search as of another moment. */
  moves: ReadonlyMap<string, Move> | undefined
  explains: boolean
}

/** The results of an answer. When the moment changes, they move to their new places; new ones appear, and old ones fade. */
export function ResultList({ response, at, first, moves, explains }: Props) {
  const list = useRef<HTMLOListElement>(null)
  useMovingItems(list, response, moves !== undefined)
  const most = Math.max(...(response.explain?.scores ?? []).flat().map(({ score }) => score), 0)
  return (
    <>
      <h2 class="hidden">{texts.search.results}</h2>
      <ol ref={list} class="results" aria-label={texts.search.results}>
        {response.results.map((result, place) => (
          <li key={result.url} data-url={result.url} class="result">
            <ResultText result={result} rank={first + place + 1} at={at} move={moves?.get(result.url)} />
            {explains && response.explain && <ScoreParts parts={response.explain.scores[place] ?? []} most={most} />}
          </li>
        ))}
      </ol>
    </>
  )
}

/** The address of a page in the console. */
export function pageAddress(url: string, at: Moment, more: Record<string, string> = {}): string {
  return `/page?${new URLSearchParams(at === undefined ? { url, ...more } : { url, at: isoText(at), ...more })}`
}

function ResultText({ result, rank, at, move }: { result: Result; rank: number; at: Moment; move: Move | undefined }) {
  const { url, title, snippet, published_at, published_from, acquired_at } = result
  return (
    <article>
      <div class="result-site">
        <span class="rank">{rank}</span>
        <span class="host" title={visibleUrl(url)}>
          <bdi dir="ltr">{hostOf(url)}</bdi>
          <bdi dir="ltr" class="path">
            {pathOf(url)}
          </bdi>
        </span>
        <MoveBadge move={move} />
        {/^https?:/.test(url) && (
          <a class="external" href={url} target="_blank" rel="noopener noreferrer" title={texts.search.original}>
            <Icon name="external" />
            <span class="hidden">{texts.search.original}</span>
          </a>
        )}
      </div>
      <h3>
        <a class="result-link" href={pageAddress(url, at)} dir="auto">
          {visibleText(title) || visibleUrl(url)}
        </a>
      </h3>
      {snippet && (
        <p class="snippet" dir="auto">
          <Highlighted text={snippet} />
        </p>
      )}
      <p class="dates">
        {published_at ? (
          <span title={published_from && sourceText(published_from)}>
            {texts.search.published} <Instant at={Date.parse(published_at)} precision="day" />
            {published_from && <span class="source">{texts.search.sourceNames[published_from.source]}</span>}
          </span>
        ) : (
          <span>{texts.search.noDate}</span>
        )}
        {acquired_at && (
          <span>
            {texts.search.acquired} <Instant at={Date.parse(acquired_at)} />
          </span>
        )}
      </p>
    </article>
  )
}

/** Says where a publish date was found, and how precise it is. */
export function sourceText({ source, precision }: NonNullable<Result['published_from']>): string {
  return `${texts.search.sources[source] ?? source}; ${texts.search.precision(precision)}`
}

function MoveBadge({ move }: { move: Move | undefined }) {
  if (!move || move.kind === 'same') return null
  if (move.kind === 'new')
    return (
      <span class="move new" title={texts.search.appearedLong}>
        {texts.search.appeared}
      </span>
    )
  return (
    <span class={`move ${move.by > 0 ? 'up' : 'down'}`}>
      <span aria-hidden="true">
        {move.by > 0 ? '▲' : '▼'} {Math.abs(move.by)}
      </span>
      <span class="hidden">{texts.search.moved(move.by)}</span>
    </span>
  )
}

interface Placed {
  element: HTMLElement
  top: number
}

/**
 * Animates the items of a list from their places in the answer before to those of the new one (the technique is called FLIP: first, last,
 * invert, play). The places are measured after each drawing, so nothing is read from the layout while it changes.
 */
function useMovingItems(
  list: { current: HTMLOListElement | null },
  response: SearchResponse,
  isSameSearch: boolean,
): void {
  const before = useRef(new Map<string, Placed>())
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const animates = isSameSearch && !matchMedia('(prefers-reduced-motion: reduce)').matches
    for (const ghost of element.querySelectorAll('.ghost')) ghost.remove()
    const after = new Map<string, Placed>()
    for (const item of element.children) {
      if (!(item instanceof HTMLElement) || item.dataset.url === undefined) continue
      after.set(item.dataset.url, { element: item, top: item.offsetTop })
    }
    if (animates) {
      for (const [url, { element: item, top }] of after) moveItem(item, before.current.get(url)?.top, top)
      for (const [url, placed] of before.current) if (!after.has(url)) fadeItem(element, placed)
    }
    before.current = after
  }, [response])
}

function moveItem(item: HTMLElement, from: number | undefined, to: number): void {
  const timing = { duration: MOVE_MS, easing: 'cubic-bezier(.2,.7,.2,1)' }
  if (from === undefined) item.animate([{ opacity: 0, transform: 'translateX(16px)' }, { opacity: 1 }], timing)
  else if (from !== to) item.animate([{ transform: `translateY(${from - to}px)` }, { transform: 'none' }], timing)
}

/** Shows an item that left the list at its old place while it fades. */
function fadeItem(list: HTMLElement, { element, top }: Placed): void {
  const ghost = document.createElement('li')
  ghost.className = 'ghost'
  ghost.ariaHidden = 'true'
  ghost.inert = true
  ghost.style.top = `${top}px`
  ghost.append(...element.cloneNode(true).childNodes)
  list.append(ghost)
  const fading = ghost.animate([{ opacity: 0.7 }, { opacity: 0, transform: 'translateX(-24px)' }], {
    duration: MOVE_MS,
    easing: 'ease-in',
  })
  fading.onfinish = () => ghost.remove()
}
