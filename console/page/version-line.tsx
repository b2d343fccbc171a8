import type { HistoryResponse } from '../api/wire.ts'
import { texts } from '../texts.ts'
import { dayText, momentText } from '../time/moment.ts'

export type Version = HistoryResponse['versions'][number]

interface Props {
  versions: readonly Version[]
  /** The places of the versions that are shown. */
  selected: number
  compared: number | undefined
  onSelect: (place: number) => void
}

/** Two dots nearer than this part of the line would lie on each other, so they are spread. */
const MIN_SHARE = 0.012

/** Where each version stands on the line, from 0 to 1: by time, but never on another one. */
function placesOf(versions: readonly Version[]): number[] {
  const times = versions.map(({ at }) => Date.parse(at))
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const span = Math.max(1, last - first)
  const least = Math.min(MIN_SHARE, 1 / Math.max(1, versions.length))
  const places = times.map(at => (at - first) / span)
  for (let v = 1; v < places.length; v++) places[v] = Math.max(places[v] ?? 0, (places[v - 1] ?? 0) + least)
  const end = Math.max(1, places.at(-1) ?? 1)
  return versions.length === 1 ? [0.5] : places.map(place => place / end)
}

/** The versions of a page on a line of time. */
export function VersionLine({ versions, selected, compared, onSelect }: Props) {
  const places = placesOf(versions)
  const [first, last] = [versions[0], versions.at(-1)]
  return (
    <section class="version-line" aria-label={texts.page.versions}>
      <div class="line" role="group">
        {versions.map((version, v) => (
          <button
            key={version.at}
            type="button"
            class={`dot ${version.kind}${v === compared ? ' compared' : ''}`}
            style={{ left: `${100 * (places[v] ?? 0)}%` }}
            aria-pressed={v === selected}
            aria-label={versionText(version)}
            title={`${versionText(version)}\n${changedText(version, v)}`}
            tabIndex={v === selected ? 0 : -1}
            onClick={() => onSelect(v)}
            onKeyDown={event => {
              const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
              if (by === undefined || versions[v + by] === undefined) return
              event.preventDefault()
              event.stopPropagation()
              onSelect(v + by)
              const dots = event.currentTarget.parentElement?.children
              ;(dots?.[v + by] as HTMLElement | undefined)?.focus()
            }}
          />
        ))}
      </div>
      {first && last && (
        <p class="ends faint" aria-hidden="true">
          <span>{dayText(Date.parse(first.at))}</span>
          {versions.length > 1 && <span>{dayText(Date.parse(last.at))}</span>}
        </p>
      )}
    </section>
  )
}

/** A version in words, such as "New text, 3 Mar 2025, 14:05 UTC". */
export function versionText({ kind, at }: Version): string {
  return `${texts.page.kinds[kind]}, ${momentText(Date.parse(at))}`
}

/** What a version changed, in words. */
export function changedText({ changed }: Version, place: number): string {
  if (changed.length > 0) return texts.page.changed(changed.map(part => part.replaceAll('_', ' ')))
  return place === 0 ? texts.page.first : ''
}
