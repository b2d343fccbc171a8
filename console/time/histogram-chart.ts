import uPlot from 'uplot'
import type { Timeline } from './timeline.ts'

/** Height of the axis below the bars, CSS pixels. */
const AXIS_HEIGHT = 26
/** Room beside the bars, for half of a label of the axis and half of a handle, CSS pixels. */
const MARGIN = 16

/** A histogram of the captures, without any interaction of its own. */
export interface HistogramChart {
  /** The place of an instant, CSS pixels from the left of the chart. */
  xOf(at: number): number
  /** The instant at a place. */
  atX(x: number): number
  resize(width: number, height: number): void
  /** Takes over the colors of the page, after the theme has changed. */
  redraw(): void
  destroy(): void
}

function colorOf(element: HTMLElement, name: string): string {
  // A custom property is not resolved when it is read, a color is.
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/**
 * Draws the histogram into an element. Heights are logarithmic: one large import must not flatten the days of a crawl.
 *
 * @param options.onDrawn - called after each drawing, because places can be asked for only then.
 */
export function drawHistogram(
  element: HTMLElement,
  timeline: Timeline,
  { width, height, onDrawn }: { width: number; height: number; onDrawn: () => void },
): HistogramChart {
  const { bins } = timeline
  const starts = bins.map(({ at }) => at / 1_000)
  const end = Math.max(timeline.now, bins.at(-1)?.endsAt ?? timeline.now) / 1_000
  const heights = bins.map(({ captures }) => (captures === 0 ? null : Math.log1p(captures)))
  const bars = uPlot.paths.bars?.({ size: [0.82, 24, 1.5], align: 1 })
  const font = `12px ${getComputedStyle(element).fontFamily}`
  const chart = new uPlot(
    {
      width,
      height,
      padding: [4, MARGIN, 0, MARGIN],
      hooks: { draw: [onDrawn] },
      legend: { show: false },
      cursor: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      tzDate: seconds => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
      scales: {
        x: { time: true, range: () => [starts[0] ?? end - 1, end] },
        y: { range: (_, __, most) => [0, Math.max(most, 0.7)] },
      },
      axes: [
        {
          size: AXIS_HEIGHT,
          space: 70,
          gap: 4,
          font,
          stroke: () => colorOf(element, '--soft'),
          grid: { show: false },
          ticks: { size: 4, width: 1, stroke: () => colorOf(element, '--line-strong') },
          values: (_, splits, __, ___, gap) => splits.map(seconds => tickText(seconds * 1_000, gap)),
        },
        { show: false },
      ],
      series: [
        {},
        {
          fill: () => colorOf(element, '--bar'),
          width: 0,
          points: { show: false },
          paths: bars,
        },
      ],
    },
    [starts, heights],
    element,
  )
  return {
    xOf: at =>
      chart.valToPos(Math.min(Math.max(at / 1_000, starts[0] ?? 0), end), 'x') + chart.bbox.left / devicePixelRatio,
    atX: x => chart.posToVal(x - chart.bbox.left / devicePixelRatio, 'x') * 1_000,
    resize: (newWidth, newHeight) => chart.setSize({ width: newWidth, height: newHeight }),
    redraw: () => chart.redraw(false, true),
    destroy: () => chart.destroy(),
  }
}

const DAY_SECONDS = 86_400
const formats = {
  year: new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat('en-GB', { month: 'short', year: '2-digit', timeZone: 'UTC' }),
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  time: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }),
}

/** The text of a tick; `gapSeconds` is the time between two ticks. */
function tickText(at: number, gapSeconds: number): string {
  if (gapSeconds >= 300 * DAY_SECONDS) return formats.year.format(at)
  if (gapSeconds >= 28 * DAY_SECONDS) return formats.month.format(at)
  return (gapSeconds >= DAY_SECONDS ? formats.day : formats.time).format(at)
}
