import type { Ref } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { api } from '../api/api.ts'
import type { SuggestResponse } from '../api/wire.ts'
import { Icon } from '../frame/icons.tsx'
import { texts } from '../texts.ts'
import { visibleText } from '../visible-text.ts'

type Suggestion = SuggestResponse['suggestions'][number]

/** Time without a key after which suggestions are asked for. */
const PAUSE_MS = 110

/** Suggestions for the beginning of a query, which come while somebody types. A failure suggests nothing: the box works without. */
function useSuggestions(text: string, queryTime: string | undefined, isOpen: boolean): Suggestion[] {
  const [found, setFound] = useState<{ text: string; suggestions: Suggestion[] }>({ text: '', suggestions: [] })
  useEffect(() => {
    if (!isOpen || text.trim().length < 2) return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      api.suggest(text, queryTime, stop.signal).then(
        ({ suggestions }) => setFound({ text, suggestions }),
        () => setFound({ text, suggestions: [] }),
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text, queryTime, isOpen])
  return isOpen && text.trim().length >= 2 && text.startsWith(found.text) ? found.suggestions : []
}

interface Props {
  query: string
  /** The instant as of which titles are suggested. Undefined for now. */
  queryTime: string | undefined
  inputRef: Ref<HTMLInputElement>
  onSearch: (query: string) => void
  /** Called with the host of a site that was chosen among the suggestions. */
  onSite: (site: string) => void
  /** Called when the reader goes from the box to the results. */
  onLeave: () => void
}

/** The search box with its suggestions: a combobox in the pattern of ARIA. */
export function SearchBox({ query, queryTime, inputRef, onSearch, onSite, onLeave }: Props) {
  const [text, setText] = useState(query)
  const [isOpen, setIsOpen] = useState(false)
  const [selected, setSelected] = useState(-1)
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const suggestions = useSuggestions(text, queryTime, isOpen)
  const isShown = isOpen && suggestions.length > 0
  useEffect(() => setText(query), [query])
  useEffect(() => setSelected(-1), [text])

  const choose = (suggestion: Suggestion) => {
    setIsOpen(false)
    if (suggestion.kind === 'site') {
      setText('')
      onSite(suggestion.text)
    } else {
      setText(suggestion.text)
      onSearch(suggestion.text)
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      if (isShown) setIsOpen(false)
      else (event.currentTarget as HTMLElement).blur()
      event.preventDefault()
    } else if (event.key === 'ArrowDown' && !isShown) {
      event.preventDefault()
      onLeave()
    } else if (isShown && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault()
      const places = suggestions.length + 1
      const next = selected + 1 + (event.key === 'ArrowDown' ? 1 : -1)
      setSelected(((next + places) % places) - 1)
    }
  }
  const onSubmit = (event: Event) => {
    event.preventDefault()
    const suggestion = isShown ? suggestions[selected] : undefined
    if (suggestion) return choose(suggestion)
    setIsOpen(false)
    onSearch(text.trim())
  }
  const optionId = (place: number) => `${id}-option-${place}`
  return (
    <form
      ref={form}
      class="search-box"
      role="search"
      onSubmit={onSubmit}
      onFocusOut={event => {
        if (!form.current?.contains(event.relatedTarget as Node | null)) setIsOpen(false)
      }}
    >
      <Icon name="search" />
      <input
        ref={inputRef}
        type="text"
        name="q"
        class="search-input"
        role="combobox"
        aria-label={texts.search.box}
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && selected >= 0 ? optionId(selected) : undefined}
        placeholder={texts.search.placeholder}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={2048}
        value={text}
        onInput={event => {
          setText(event.currentTarget.value)
          setIsOpen(true)
        }}
        onKeyDown={onKeyDown}
      />
      <kbd class="slash" aria-hidden="true">
        /
      </kbd>
      <button type="submit" class="button primary">
        {texts.search.submit}
      </button>
      <ul id={`${id}-list`} class="suggestions" role="listbox" aria-label={texts.search.suggestions} hidden={!isShown}>
        {isShown &&
          suggestions.map((suggestion, place) => (
            <li
              key={`${suggestion.kind} ${suggestion.text} ${suggestion.url}`}
              id={optionId(place)}
              role="option"
              aria-selected={place === selected}
              onMouseDown={event => event.preventDefault()}
              onClick={() => choose(suggestion)}
            >
              <Completed text={visibleText(suggestion.text)} typed={text} />
              <span class="faint">
                {suggestion.kind === 'site' ? texts.search.kinds.site : hostOf(suggestion.url ?? '')}
              </span>
            </li>
          ))}
      </ul>
    </form>
  )
}

/** A suggestion, with what was typed in normal weight and its completion in bold. */
function Completed({ text, typed }: { text: string; typed: string }) {
  const place = text.toLowerCase().indexOf(typed.trim().toLowerCase())
  if (place < 0)
    return (
      <span class="completed" dir="auto">
        {text}
      </span>
    )
  const end = place + typed.trim().length
  return (
    <span class="completed" dir="auto">
      <b>{text.slice(0, place)}</b>
      {text.slice(place, end)}
      <b>{text.slice(end)}</b>
    </span>
  )
}

/** The host of a URL, without `www.`; empty for a text that is no URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host.replace(/^www\./, '') : ''
}
