import type { Calls, Usage } from '../api/wire.ts'
import { count } from '../numbers.ts'
import { texts } from '../texts.ts'

const skus = ['search.pro', 'search.realtime', 'fetch', 'fetch.live'] as const

const sumOf = (calls: Calls) => skus.reduce((sum, sku) => sum + calls[sku], 0)

/** The days of a month such as 2026-11. */
function daysOf(month: string): string[] {
  const [year, number] = month.split('-').map(Number)
  const length = new Date(Date.UTC(year ?? 0, number ?? 0, 0)).getUTCDate()
  return Array.from({ length }, (_, i) => `${month}-${String(i + 1).padStart(2, '0')}`)
}

/** What an organization used in a month: the credits, and the calls of each day by SKU. */
export function UsageChart({ usage }: { usage: Usage }) {
  const { names } = texts.access
  return (
    <>
      <dl class="figures">
        {[
          [names.calls, sumOf(usage.calls)],
          [names.charged, usage.credits_charged],
          [names.allowanceLeft, usage.allowance_left],
          [names.balance, usage.balance],
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count(Number(value))}</dd>
          </div>
        ))}
      </dl>
      {sumOf(usage.calls) === 0 ? <p class="faint">{texts.access.noCalls}</p> : <Days usage={usage} />}
    </>
  )
}

function Days({ usage }: { usage: Usage }) {
  const { days = [] } = usage
  const calls = new Map(days.map(({ day, calls }) => [day, calls]))
  const most = Math.max(1, ...days.map(({ calls }) => sumOf(calls)))
  return (
    <>
      <ul class="columns" aria-label={texts.access.perDay}>
        {daysOf(usage.month).map(day => {
          const of = calls.get(day)
          const label = texts.access.onDay(day, of === undefined ? 0 : sumOf(of))
          return (
            <li key={day} title={label}>
              <span class="column">
                {of &&
                  skus.map(sku => (
                    <i key={sku} class={classOf(sku)} style={{ height: `${(100 * of[sku]) / most}%` }} />
                  ))}
              </span>
              <span class="hidden">{label}</span>
              <small aria-hidden="true">{Number(day.slice(-2))}</small>
            </li>
          )
        })}
      </ul>
      <ul class="legend">
        {skus.map(sku => (
          <li key={sku}>
            <i class={classOf(sku)} /> <code>{sku}</code> {count(usage.calls[sku])}
          </li>
        ))}
      </ul>
    </>
  )
}

const classOf = (sku: string) => `sku-${skus.indexOf(sku as (typeof skus)[number])}`
