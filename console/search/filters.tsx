import { useRef, useState } from 'preact/hooks'
import { api } from '../api/api.ts'
import { Icon } from '../frame/icons.tsx'
import { type Loaded, useLoaded } from '../frame/use-loaded.ts'
import { texts } from '../texts.ts'
import { visibleText } from '../visible-text.ts'
import { FieldBuilder } from './field-builder.tsx'
import { type Field, ordersBy, toggled } from './field-conditions.ts'
import {
  momentParameter,
  noFilters,
  readFacets,
  readFilter,
  type SearchState,
  setFilters,
  type TimeFilter,
} from './search-state.ts'

interface Props {
  state: SearchState
  onChange: (change: Partial<SearchState>) => void
}

const labels: Record<ReturnType<typeof setFilters>[number]['name'], string> = {
  site: texts.filters.site,
  published_after: texts.filters.publishedAfter,
  published_before: texts.filters.publishedBefore,
  acquired_after: texts.filters.acquiredAfter,
  acquired_before: texts.filters.acquiredBefore,
  filter: texts.filters.fields,
  facets: texts.filters.facets,
  sort: texts.filters.sort,
}

/** Orders that every index has. */
const orders = ['published_at:desc', 'published_at:asc', 'acquired_at:desc', 'acquired_at:asc'] as const

/** The mode of the search, its filters, and those that are set. */
export function Filters({ state, onChange }: Props) {
  const active = setFilters(state)
  const [isOpen, setIsOpen] = useState(false)
  const queryTime = momentParameter(state.at)
  const [fields] = useLoaded(isOpen ? `fields ${queryTime ?? 'now'}` : undefined, () => api.fields(queryTime))
  return (
    <div class="filters">
      <div class="filter-line">
        <fieldset class="segments">
          <legend class="hidden">{texts.filters.mode}</legend>
          {(['pro', 'realtime'] as const).map(mode => (
            <label key={mode} title={texts.filters.modeHints[mode]}>
              <input
                type="radio"
                name="mode"
                value={mode}
                checked={state.mode === mode}
                onChange={() => onChange({ mode })}
              />
              <span>{texts.filters.modes[mode]}</span>
            </label>
          ))}
        </fieldset>
        <details class="filter-panel" onToggle={event => setIsOpen(event.currentTarget.open)}>
          <summary class="button small">
            <Icon name="filter" />
            {texts.filters.title}
          </summary>
          <FilterForm
            key={active.map(({ name, value }) => `${name}=${value}`).join('&')}
            state={state}
            fields={fields}
            onChange={onChange}
          />
        </details>
        {active.map(({ name, value }) => (
          <span key={name} class="chip">
            <span class="faint">{labels[name]}</span> <bdi>{visibleText(value)}</bdi>
            <button
              type="button"
              class="chip-remove"
              aria-label={texts.filters.remove(labels[name])}
              onClick={() => onChange({ [name]: noFilters[name] })}
            >
              <Icon name="close" />
            </button>
          </span>
        ))}
        {active.length > 1 && (
          <button type="button" class="text-button" onClick={() => onChange(noFilters)}>
            {texts.filters.clear}
          </button>
        )}
      </div>
    </div>
  )
}

function FilterForm({ state, fields, onChange }: Props & { fields: Loaded<readonly Field[]> }) {
  const [isBad, setIsBad] = useState(false)
  const filterInput = useRef<HTMLInputElement>(null)
  const facetsInput = useRef<HTMLInputElement>(null)
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const given = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]))
    if (given.filter && !readFilter(given.filter)) return setIsBad(true)
    setIsBad(false)
    const { site = '', filter = '', facets = '', order = '', sort = '', ...times } = given
    onChange({
      site,
      filter,
      facets: readFacets(facets),
      sort: sort || order,
      ...Object.fromEntries(Object.entries(times).map(([name, value]) => [name, value || undefined])),
    } as Partial<SearchState>)
    form.closest('details')?.removeAttribute('open')
  }
  const time = (name: TimeFilter, label: string, short: string) => (
    <label>
      <span aria-hidden="true">{short}</span>
      <input name={name} aria-label={label} placeholder={texts.filters.timeHint} defaultValue={state[name] ?? ''} />
    </label>
  )
  const { filters } = texts
  const byFields = fields.state === 'full' ? ordersBy(fields.value) : []
  return (
    <form class="filter-form" onSubmit={onSubmit}>
      <label class="row">
        <span class="name">{filters.site}</span>
        <input name="site" placeholder={filters.siteHint} defaultValue={state.site} autocapitalize="off" />
      </label>
      <div class="row">
        <span class="name">{filters.published}</span>
        {time('published_after', filters.publishedAfter, filters.from)}
        {time('published_before', filters.publishedBefore, filters.until)}
      </div>
      <div class="row">
        <span class="name">{filters.acquired}</span>
        {time('acquired_after', filters.acquiredAfter, filters.from)}
        {time('acquired_before', filters.acquiredBefore, filters.until)}
      </div>
      <FieldBuilder
        fields={fields}
        filter={() => filterInput.current?.value ?? ''}
        onFilter={filter => {
          if (filterInput.current) filterInput.current.value = filter
        }}
        onFacet={name => {
          if (facetsInput.current) facetsInput.current.value = toggled(facetsInput.current.value, name)
        }}
      />
      <label class="row">
        <span class="name">{filters.fields}</span>
        <input
          ref={filterInput}
          name="filter"
          class="code"
          aria-label={filters.fieldsLabel}
          aria-invalid={isBad}
          placeholder={filters.fieldsHint}
          defaultValue={state.filter}
          spellcheck={false}
        />
      </label>
      <label class="row">
        <span class="name">{filters.facets}</span>
        <input
          ref={facetsInput}
          name="facets"
          class="code"
          aria-label={filters.facetsLabel}
          placeholder={filters.facetsHint}
          defaultValue={state.facets.join(', ')}
          spellcheck={false}
        />
      </label>
      <div class="row">
        <span class="name">{filters.sort}</span>
        <select name="order" aria-label={filters.sort}>
          <option value="">{filters.byScore}</option>
          {orders.map(order => (
            <option key={order} value={order} selected={state.sort === order}>
              {filters.orders[order]}
            </option>
          ))}
          {byFields.map(order => (
            <option key={order} value={order} selected={state.sort === order}>
              {filters.byField(order)}
            </option>
          ))}
        </select>
        <input
          name="sort"
          class="code"
          aria-label={filters.sortLabel}
          placeholder={filters.sortHint}
          defaultValue={[...orders, ...byFields].some(order => order === state.sort) ? '' : state.sort}
          spellcheck={false}
        />
      </div>
      {isBad && (
        <p class="bad" role="alert">
          {filters.fieldsBad}
        </p>
      )}
      <button type="submit" class="button primary">
        {filters.apply}
      </button>
    </form>
  )
}
