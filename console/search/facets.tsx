import type { SearchResponse } from '../api/wire.ts'
import { count } from '../numbers.ts'
import { texts } from '../texts.ts'
import { visibleText } from '../visible-text.ts'
import { bucketOf, narrowed } from './narrowed.ts'
import type { SearchState } from './search-state.ts'

/** Number of values of a facet that are shown. */
const VALUES = 12

interface Props {
  facets: NonNullable<SearchResponse['facets']>
  results: SearchResponse['results']
  state: SearchState
  onChange: (change: Partial<SearchState>) => void
}

/** How many of all matches have which values. A value can be made a filter. */
export function Facets({ facets, results, state, onChange }: Props) {
  return (
    <>
      {Object.entries(facets).map(([facet, counts]) => {
        const [name = ''] = facet.split(':', 1)
        const values = shownValues(facet, counts)
        const most = Math.max(...values.map(({ matches }) => matches))
        return (
          <details key={facet} open>
            <summary>{texts.search.facet(name)}</summary>
            {values.length === 0 && <p class="faint">{texts.search.noFacet}</p>}
            <ul class="facet">
              {values.map(({ value, label, matches }) => {
                const change = narrowed(state, results, facet, value)
                return (
                  <li key={String(value)}>
                    <i class="facet-bar" aria-hidden="true" style={{ width: `${(100 * matches) / most}%` }} />
                    {change ? (
                      <button
                        type="button"
                        class="text-button"
                        title={texts.search.narrow(name, label)}
                        onClick={() => onChange(change)}
                      >
                        {label}
                      </button>
                    ) : (
                      <span>{label}</span>
                    )}
                    <b>{count(matches)}</b>
                  </li>
                )
              })}
            </ul>
          </details>
        )
      })}
    </>
  )
}

/** The values of a facet: those with the most matches first, or buckets in their own order. */
function shownValues(facet: string, counts: Props['facets'][string]) {
  const bucket = bucketOf(facet)
  const most = counts
    .slice(0, VALUES)
    .map(({ value, count: matches }) => ({ value, matches, label: labelOf(String(value), bucket) }))
  if (bucket === undefined) return most
  const size = Number(bucket)
  return most.sort((a, b) => (size > 0 ? Number(a.value) - Number(b.value) : a.value < b.value ? -1 : 1))
}

function labelOf(value: string, bucket: string | undefined): string {
  if (bucket === 'year') return value.slice(0, 4)
  if (bucket === 'month') return value.slice(0, 7)
  const size = Number(bucket)
  return size > 0 ? texts.search.bucket(value, String(Number(value) + size)) : visibleText(value)
}
