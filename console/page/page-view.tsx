import { useEffect, useMemo, useState } from 'preact/hooks'
import { api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import type { PageResponse } from '../api/wire.ts'
import { DeadEnd } from '../frame/dead-end.tsx'
import { Failure } from '../frame/failure.tsx'
import { IconButton } from '../frame/icon-button.tsx'
import { Icon } from '../frame/icons.tsx'
import { navigate, returnToSearch } from '../frame/location.ts'
import { useShortcuts } from '../frame/shortcuts.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { sourceText } from '../search/result-list.tsx'
import { hostOf } from '../search/search-box.tsx'
import { Loading } from '../search/search-view.tsx'
import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'
import { isoText, momentText, readMoment } from '../time/moment.ts'
import { visibleText, visibleUrl } from '../visible-text.ts'
import { Changes, type Layout } from './changes.tsx'
import { Markdown } from './markdown.tsx'
import { QuoteCheck } from './quote-check.tsx'
import { changedText, type Version, VersionLine, versionText } from './version-line.tsx'

const tabs = ['text', 'changes', 'data', 'quote'] as const

type Tab = (typeof tabs)[number]

/** Longer texts are shown as they are: as elements they would slow the browser down. */
const MAX_FORMATTED_CHARS = 200_000

/** What the view shows. Its address holds all of it. */
interface PageState {
  url: string
  at: number | undefined
  against: number | undefined
  tab: Tab
  layout: Layout
  /** A moment in the address that was not understood. */
  unread: string | undefined
}

function readState(query: URLSearchParams): PageState {
  const moments = (['at', 'against'] as const).map(name => {
    const text = query.get(name) ?? ''
    return { text, ...readMoment(text, Date.now()) }
  })
  const tab = tabs.find(name => name === query.get('view')) ?? 'text'
  return {
    url: query.get('url') ?? '',
    at: moments[0]?.moment,
    against: moments[1]?.moment,
    tab,
    layout: query.get('layout') === 'inline' ? 'inline' : 'sides',
    unread: moments.find(({ problem }) => problem === 'unread')?.text,
  }
}

function addressOf({ url, at, against, tab, layout }: PageState): string {
  const query = new URLSearchParams({ url })
  if (at !== undefined) query.set('at', isoText(at))
  if (against !== undefined) query.set('against', isoText(against))
  if (tab !== 'text') query.set('view', tab)
  if (layout === 'inline') query.set('layout', layout)
  return `/page?${query}`
}

/** The address of a search for all pages of the site, as of the moment of the page. */
function siteSearch({ url, at }: PageState): string {
  const host = hostOf(url)
  if (host === '') return '/'
  const query = new URLSearchParams({ q: `site:${host}`, site: host })
  if (at !== undefined) query.set('at', isoText(at))
  return `/?${query}`
}

/** The version that was current at an instant; the last one if there is none. -1: there was none yet. */
function versionAt(versions: readonly Version[], at: number | undefined): number {
  if (at === undefined) return versions.length - 1
  return versions.findLastIndex(version => Date.parse(version.at) <= at)
}

/** The view at `/page`: one page as of a moment, its history, and what changed. */
export function PageView({ query }: { query: URLSearchParams }) {
  const state = useMemo(() => readState(query), [query.toString()])
  const { url, unread } = state
  const [history, retry] = useLoaded(url === '' ? undefined : `history ${url}`, () => api.history(url))
  const go = (part: Partial<PageState>) => navigate(addressOf({ ...state, ...part }), true)
  useEffect(() => {
    document.title = `${hostOf(url) || texts.page.title} · asof`
  }, [url])
  if (url === '') return <DeadEnd title={texts.page.noUrl} text={texts.page.noUrlText} />
  if (unread !== undefined)
    return <DeadEnd title={texts.time.unread(visibleText(unread))} url={url} text={texts.time.forms} />
  if (history.state === 'loading')
    return (
      <div class="page-view">
        <Loading />
      </div>
    )
  if (history.state === 'failed') {
    const isMissing = history.failure instanceof ApiError && history.failure.failure === 'not_indexed'
    if (!isMissing) return <Failure failure={history.failure} onRetry={retry} />
    return <DeadEnd title={texts.page.missing} url={url} text={texts.page.missingText} />
  }
  return <History state={state} versions={history.value.versions} hasMore={history.value.next !== undefined} go={go} />
}

interface HistoryProps {
  state: PageState
  versions: readonly Version[]
  hasMore: boolean
  go: (part: Partial<PageState>) => void
}

function History({ state, versions, hasMore, go }: HistoryProps) {
  const selected = versionAt(versions, state.at)
  const version = versions[selected]
  const comparedPlace =
    state.tab === 'changes'
      ? state.against === undefined
        ? selected - 1
        : versionAt(versions, state.against)
      : undefined
  const select = (place: number) => {
    const chosen = versions[place]
    if (chosen) go({ at: place === versions.length - 1 ? undefined : Date.parse(chosen.at) })
  }
  useShortcuts({
    '[': () => select(selected - 1),
    ']': () => select(selected + 1),
    Escape: () => returnToSearch(siteSearch(state)),
  })
  const heading = version ?? versions[0]
  return (
    <div class="page-view">
      <header class="page-head">
        <p class="page-url">
          <bdi dir="ltr" class="url" title={visibleUrl(state.url)}>
            {visibleUrl(state.url)}
          </bdi>
          {/^https?:/.test(state.url) && (
            <a href={state.url} target="_blank" rel="noopener noreferrer">
              <Icon name="external" />
              {texts.page.original}
            </a>
          )}
          {hostOf(state.url) && (
            <a href={siteSearch(state)}>
              <Icon name="search" />
              {texts.page.searchSite}
            </a>
          )}
        </p>
        <h1 dir="auto">{visibleText(heading?.title ?? '') || visibleUrl(state.url)}</h1>
      </header>
      <VersionLine versions={versions} selected={selected} compared={comparedPlace} onSelect={select} />
      {hasMore && <p class="faint">{texts.page.moreVersions}</p>}
      {version && (
        <div class="version-head">
          <div class="stepper">
            <IconButton
              icon="earlier"
              label={texts.page.older}
              shortcut="["
              disabled={selected <= 0}
              onClick={() => select(selected - 1)}
            />
            <IconButton
              icon="later"
              label={texts.page.newer}
              shortcut="]"
              disabled={selected >= versions.length - 1}
              onClick={() => select(selected + 1)}
            />
          </div>
          <p role="status">
            <strong>
              {texts.page.kinds[version.kind]}, <Instant at={Date.parse(version.at)} precision="second" />
            </strong>
            <span class="faint">
              {selected + 1} / {versions.length}
              {changedText(version, selected) && ` · ${changedText(version, selected)}`}
              {' · '}
              {version.superseded_at === undefined
                ? texts.page.current
                : texts.page.superseded(momentText(Date.parse(version.superseded_at)))}
            </span>
          </p>
        </div>
      )}
      <div class="tabs" role="tablist" aria-label={texts.page.tabList}>
        {tabs.map(tab => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`tab-${tab}`}
            aria-selected={tab === state.tab}
            aria-controls="tab-panel"
            tabIndex={tab === state.tab ? 0 : -1}
            onClick={() => go({ tab })}
            onKeyDown={event => {
              const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
              const next = by === undefined ? undefined : tabs[tabs.indexOf(tab) + by]
              if (!next) return
              event.preventDefault()
              go({ tab: next })
              document.getElementById(`tab-${next}`)?.focus()
            }}
          >
            {texts.page.tabs[tab]}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${state.tab}`} class="tab-panel">
        {state.tab === 'quote' ? (
          <QuoteCheck url={state.url} queryTime={state.at === undefined ? undefined : isoText(state.at)} />
        ) : !version ? (
          <div class="state">
            <h2>{texts.page.missingAt(momentText(state.at ?? 0))}</h2>
            <p>{texts.page.missingText}</p>
          </div>
        ) : state.tab === 'changes' ? (
          <ChangesTab state={state} versions={versions} selected={selected} compared={comparedPlace ?? -1} go={go} />
        ) : (
          <VersionTab url={state.url} version={version} at={state.at} tab={state.tab} />
        )}
      </div>
    </div>
  )
}

function VersionTab({ url, version, at, tab }: { url: string; version: Version; at: number | undefined; tab: Tab }) {
  const queryTime = isoText(at ?? Date.parse(version.at))
  const isRemoved = version.kind === 'removal'
  const [page, retry] = useLoaded(isRemoved ? undefined : `${url} ${queryTime}`, () => api.page(url, queryTime))
  if (isRemoved) return <p class="state">{texts.page.removedText}</p>
  if (page.state === 'loading') return <Loading />
  if (page.state === 'failed') return <Failure failure={page.failure} onRetry={retry} />
  return tab === 'data' ? <Metadata page={page.value} /> : <Text page={page.value} />
}

function Text({ page: { content, truncated } }: { page: PageResponse }) {
  const [isPlain, setIsPlain] = useState(false)
  if (content.trim() === '') return <p class="state">{texts.page.empty}</p>
  const isLong = content.length > MAX_FORMATTED_CHARS
  return (
    <>
      {isPlain ? (
        <pre class="plain" dir="auto">
          {content}
        </pre>
      ) : (
        <Markdown text={isLong ? content.slice(0, MAX_FORMATTED_CHARS) : content} />
      )}
      {isLong && !isPlain && (
        <p class="note">
          {texts.page.cutForReading(MAX_FORMATTED_CHARS)}{' '}
          <button type="button" class="text-button" onClick={() => setIsPlain(true)}>
            {texts.page.showAll}
          </button>
        </p>
      )}
      {truncated && <p class="note">{texts.page.truncated(content.length)}</p>}
    </>
  )
}

const plainNames = ['url', 'title', 'author', 'description', 'site_name', 'lang', 'kind'] as const
const timeNames = ['published_at', 'acquired_at', 'revised_at', 'last_seen_at'] as const

function Metadata({ page }: { page: PageResponse }) {
  const { names } = texts.page
  return (
    <div class="metadata">
      <h2>{texts.page.metadata}</h2>
      <dl class="facts wide">
        {plainNames.map(name =>
          page[name] ? (
            <div key={name}>
              <dt>{names[name]}</dt>
              <dd dir="auto">{name === 'url' ? visibleUrl(page.url) : visibleText(page[name] ?? '')}</dd>
            </div>
          ) : null,
        )}
        {timeNames.map(name => {
          const value = page[name]
          return value ? (
            <div key={name}>
              <dt>{names[name]}</dt>
              <dd>
                <Instant at={Date.parse(value)} precision="second" />
                {name === 'published_at' && page.published_from && (
                  <span class="faint"> {sourceText(page.published_from)}</span>
                )}
              </dd>
            </div>
          ) : null
        })}
      </dl>
      <h2>{texts.page.fields}</h2>
      {page.fields ? (
        <dl class="facts wide">
          {Object.entries(page.fields).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{fieldText(value)}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p class="faint">{texts.page.noFields}</p>
      )}
      <h2>{texts.page.data}</h2>
      {page.data ? (
        <pre class="code" tabIndex={0}>
          {JSON.stringify(page.data, undefined, 2)}
        </pre>
      ) : (
        <p class="faint">{texts.page.noData}</p>
      )}
    </div>
  )
}

/** A value of a field. An instant is `{"$date": "…"}`, a text `{"$text": "…"}`. */
function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.map(fieldText).join(', ')
  if (typeof value === 'object' && value !== null) {
    if ('$date' in value) return momentText(Date.parse(String(value.$date)))
    if ('$text' in value) return visibleText(String(value.$text))
  }
  return typeof value === 'string' ? visibleText(value) : JSON.stringify(value)
}

interface ChangesProps {
  state: PageState
  versions: readonly Version[]
  selected: number
  compared: number
  go: (part: Partial<PageState>) => void
}

/** The text of a version; empty if the page was removed. */
async function textOf(url: string, version: Version): Promise<string> {
  return version.kind === 'removal' ? '' : (await api.page(url, version.at)).content
}

function ChangesTab({ state, versions, selected, compared, go }: ChangesProps) {
  const [older, newer] = selected < compared ? [selected, compared] : [compared, selected]
  const before = versions[older]
  const after = versions[newer]
  const key = before && after && before !== after ? `${state.url} ${before.at} ${after.at}` : undefined
  const [loaded, retry] = useLoaded(key, async () => {
    if (!before || !after) return ['', ''] as const
    return await Promise.all([textOf(state.url, before), textOf(state.url, after)])
  })
  if (versions.length < 2) return <p class="state">{texts.page.onlyOne}</p>
  const choice = (place: number, onChoose: (version: Version) => void, label: string) => (
    <label>
      <span>{label}</span>
      <select
        value={place < 0 ? '' : String(place)}
        onChange={event => {
          const version = versions[Number(event.currentTarget.value)]
          if (version) onChoose(version)
        }}
      >
        {place < 0 && <option value="" />}
        {versions.map((version, v) => (
          <option key={version.at} value={String(v)}>
            {v + 1}. {versionText(version)}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <>
      <div class="change-tools">
        {choice(compared, version => go({ against: Date.parse(version.at) }), texts.page.compareWith)}
        {choice(selected, version => go({ at: Date.parse(version.at) }), texts.page.with)}
        <fieldset class="segments">
          <legend class="hidden">{texts.page.layout}</legend>
          {(['sides', 'inline'] as const).map(layout => (
            <label key={layout}>
              <input type="radio" name="layout" checked={layout === state.layout} onChange={() => go({ layout })} />
              <span>{layout === 'sides' ? texts.page.sideBySide : texts.page.inline}</span>
            </label>
          ))}
        </fieldset>
      </div>
      {!before || !after || before === after ? (
        <p class="state">{before === after ? texts.page.same : texts.page.first}</p>
      ) : loaded.state === 'loading' ? (
        <Loading />
      ) : loaded.state === 'failed' ? (
        <Failure failure={loaded.failure} onRetry={retry} />
      ) : (
        <Changes
          before={loaded.value[0]}
          after={loaded.value[1]}
          beforeAt={Date.parse(before.at)}
          afterAt={Date.parse(after.at)}
          layout={state.layout}
        />
      )}
    </>
  )
}
