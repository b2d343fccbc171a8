import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'
import { IconButton } from '../frame/icon-button.tsx'
import { Icon } from '../frame/icons.tsx'
import { texts } from '../texts.ts'
import { drawHistogram, type HistogramChart } from './histogram-chart.ts'
import { type Moment, type Moments, momentText } from './moment.ts'
import { MomentField } from './moment-field.tsx'
import { MomentHeading } from './moment-heading.tsx'
import type { Timeline } from './timeline.ts'

const HEIGHT = 92
/** Time that a moment stays when the history is played. Slower than answers come, so that an eye can follow. */
const PLAY_MS = 650

interface Props extends Moments {
  timeline: Timeline
  /** The moments of the answers that are shown, while those of `at` and `against` are awaited. */
  shown: Moments
  /** The text of a moment in the address, if it was not understood. */
  unread: string | undefined
  isPlaying: boolean
  isLoading: boolean
  /** True while the first moment of a comparison is looked for. */
  isSeeking: boolean
  /** Returns how long playing waits before it moves on to a moment, ms. */
  waitMs: (to: Moment) => number
  /** Called with every moment that the reader passes. */
  onMove: (moments: Moments) => void
  onPlay: (isPlaying: boolean) => void
  /** Called to start or end a comparison. */
  onCompare: () => void
}

type Handle = 'at' | 'against'

/** Chooses the moment of the answer on a histogram of the captures of the index: by dragging, by keys, by playing. */
export function TimeSlider(props: Props) {
  const { timeline, at, against, shown, isPlaying, isLoading, isSeeking, onMove, onPlay } = props
  const track = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLDivElement>(null)
  const chart = useRef<HistogramChart | undefined>(undefined)
  const [width, setWidth] = useState(0)
  const [, drawAgain] = useReducer((times: number) => times + 1, 0)
  const [hovered, setHovered] = useState<number>()
  const dragged = useRef<Handle | undefined>(undefined)
  const isComparing = against !== null

  useLayoutEffect(() => {
    const element = canvas.current
    if (!element) return
    const size = { width: element.clientWidth || 300, height: HEIGHT }
    const drawn = drawHistogram(element, timeline, { ...size, onDrawn: () => drawAgain(undefined) })
    chart.current = drawn
    const observer = new ResizeObserver(() => {
      drawn.resize(element.clientWidth, HEIGHT)
      setWidth(element.clientWidth)
    })
    observer.observe(element)
    const redraw = () => drawn.redraw()
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    addEventListener('themechange', redraw)
    scheme.addEventListener('change', redraw)
    setWidth(element.clientWidth)
    return () => {
      observer.disconnect()
      removeEventListener('themechange', redraw)
      scheme.removeEventListener('change', redraw)
      drawn.destroy()
    }
  }, [timeline])

  useEffect(() => {
    // The next moment waits for the answer of this one.
    if (!isPlaying || isLoading) return
    const next = at === undefined ? undefined : timeline.step(at, 1)
    const timer = setTimeout(
      () => {
        if (at === undefined) return onPlay(false)
        onMove({ at: next, against })
        if (next === undefined) onPlay(false)
      },
      Math.max(PLAY_MS, props.waitMs(next)),
    )
    return () => clearTimeout(timer)
  }, [isPlaying, isLoading, at])

  const play = () => {
    // From the end, the history is played from its beginning.
    if (!isPlaying && at === undefined) onMove({ at: timeline.changes[0], against })
    onPlay(!isPlaying)
  }
  const move = (handle: Handle, to: Moment) => {
    onPlay(false)
    onMove(handle === 'at' ? { at: to, against } : { at, against: to })
  }

  const momentAt = (event: PointerEvent): Moment => {
    const left = track.current?.getBoundingClientRect().left ?? 0
    return timeline.snap(chart.current?.atX(event.clientX - left) ?? timeline.now)
  }
  const nearest = (event: PointerEvent): Handle => {
    if (!isComparing || !chart.current) return 'at'
    const x = event.clientX - (track.current?.getBoundingClientRect().left ?? 0)
    const away = (moment: Moment) => Math.abs((chart.current?.xOf(moment ?? timeline.now) ?? 0) - x)
    return away(against) < away(at) ? 'against' : 'at'
  }
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 || !timeline.isLong) return
    event.preventDefault()
    track.current?.setPointerCapture(event.pointerId)
    dragged.current = nearest(event)
    move(dragged.current, momentAt(event))
    track.current?.querySelector<HTMLElement>(`[data-handle="${dragged.current}"]`)?.focus({ preventScroll: true })
  }
  const onPointerMove = (event: PointerEvent) => {
    const left = track.current?.getBoundingClientRect().left ?? 0
    setHovered(event.clientX - left)
    if (dragged.current) move(dragged.current, momentAt(event))
  }
  const onPointerEnd = () => {
    dragged.current = undefined
  }
  const onKey = (handle: Handle) => (event: KeyboardEvent) => {
    const from = handle === 'at' ? at : (against ?? undefined)
    const targets: Record<string, () => Moment> = {
      ArrowLeft: () => timeline.step(from, -1),
      ArrowDown: () => timeline.step(from, -1),
      ArrowRight: () => timeline.step(from, 1),
      ArrowUp: () => timeline.step(from, 1),
      PageDown: () => timeline.step(from, -10),
      PageUp: () => timeline.step(from, 10),
      Home: () => timeline.changes[0],
      End: () => undefined,
    }
    const target = targets[event.key]
    if (!target) return
    event.preventDefault()
    event.stopPropagation()
    move(handle, target())
  }

  const xOf = (moment: Moment) => (width > 0 ? (chart.current?.xOf(moment ?? timeline.now) ?? 0) : 0)
  const latest = isComparing ? Math.max(at ?? timeline.now, against ?? timeline.now) : (at ?? timeline.now)
  const handle = (name: Handle, moment: Moment, label: string) => (
    <div
      key={name}
      role="slider"
      class={`handle ${name}${width > 0 && xOf(moment) > width - 48 ? ' late' : ''}${moment === shown[name] ? '' : ' going'}`}
      data-handle={name}
      tabIndex={timeline.isLong ? 0 : -1}
      aria-disabled={!timeline.isLong}
      aria-label={label}
      aria-valuemin={timeline.start}
      aria-valuemax={timeline.now}
      aria-valuenow={moment ?? timeline.now}
      aria-valuetext={moment === undefined && !timeline.isSealed ? texts.time.now : momentText(moment ?? timeline.now)}
      style={{ transform: `translateX(${xOf(moment)}px)` }}
      onKeyDown={onKey(name)}
    >
      {isComparing && <span class="handle-name">{name === 'at' ? texts.time.moments.a : texts.time.moments.b}</span>}
    </div>
  )
  // While the history is played, its moment counts, not the one under the pointer.
  const hoveredBin =
    hovered !== undefined && !isPlaying && chart.current ? timeline.binAt(chart.current.atX(hovered)) : undefined

  return (
    <section class="time" aria-label={texts.time.title}>
      <div class="time-head">
        <MomentHeading timeline={timeline} shown={shown} wanted={{ at, against }} />
        <div class="time-tools">
          <IconButton
            icon="earlier"
            label={texts.time.earlier}
            shortcut="["
            disabled={!timeline.isLong || (at !== undefined && at <= (timeline.changes[0] ?? 0))}
            onClick={() => move('at', timeline.step(at, -1))}
          />
          <IconButton
            icon={isPlaying ? 'pause' : 'play'}
            label={isPlaying ? texts.time.pause : texts.time.play}
            shortcut="P"
            disabled={!timeline.isLong}
            onClick={play}
          />
          <IconButton
            icon="later"
            label={texts.time.later}
            shortcut="]"
            disabled={at === undefined}
            onClick={() => move('at', timeline.step(at, 1))}
          />
          <button type="button" class="button small" disabled={at === undefined} onClick={() => move('at', undefined)}>
            {timeline.isSealed ? texts.time.toSeal : texts.time.toNow}
          </button>
          <button
            type="button"
            class="button small"
            aria-pressed={isComparing}
            aria-busy={isSeeking}
            disabled={!timeline.isLong}
            title={`${isComparing ? texts.time.stopComparing : texts.time.compare} C`}
            onClick={props.onCompare}
          >
            <Icon name="compare" />
            {isSeeking ? texts.time.seeking : texts.time.compareShort}
          </button>
          <MomentField at={at} timeline={timeline} unread={props.unread} onChoose={moment => move('at', moment)} />
        </div>
      </div>
      <div
        ref={track}
        class={`track${timeline.isLong ? '' : ' short'}`}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerEnd}
        onPointerCancel={onPointerEnd}
        onPointerLeave={() => setHovered(undefined)}
      >
        <div
          ref={canvas}
          class="histogram"
          role="img"
          aria-label={texts.time.chart(timeline.interval, timeline.captures)}
        />
        <div class="future" style={{ left: `${xOf(latest)}px` }} />
        {isComparing && (
          <div
            class="between"
            style={{
              left: `${Math.min(xOf(at), xOf(against))}px`,
              width: `${Math.abs(xOf(at) - xOf(against))}px`,
            }}
          />
        )}
        {handle('at', at, texts.time.slider)}
        {against !== null && handle('against', against, texts.time.sliderB)}
      </div>
      <p class="faint unit">
        {hoveredBin ? (
          <span
            class="bin-label"
            aria-hidden="true"
            style={{ left: `${Math.min(Math.max(hovered ?? 0, 90), Math.max(width - 90, 90))}px` }}
          >
            {texts.time.bin(timeline.label(hoveredBin), hoveredBin.captures)}
          </span>
        ) : (
          <span>{timeline.isLong ? texts.time.per(timeline.interval) : texts.time.short}</span>
        )}
      </p>
    </section>
  )
}
