import type { SearchResponse } from '../api/wire.ts'
import { decimal, duration } from '../numbers.ts'
import { texts } from '../texts.ts'

type Explanation = NonNullable<SearchResponse['explain']>
type ScorePart = Explanation['scores'][number][number]

/** The parts of the score of one result, as bars. @param props.most - the part that fills the width. */
export function ScoreParts({ parts, most }: { parts: readonly ScorePart[]; most: number }) {
  if (parts.length === 0) return <p class="faint parts">{texts.explain.lookedUp}</p>
  const sum = parts.reduce((total, { score }) => total + score, 0)
  const share = (score: number) => `${most > 0 ? Math.min(100, (100 * Math.abs(score)) / most) : 0}%`
  const sorted = parts.toSorted((a, b) => Math.abs(b.score) - Math.abs(a.score))
  return (
    <table class="parts">
      <caption class="hidden">{texts.explain.parts}</caption>
      <tbody>
        {sorted.map(part => {
          const isSignal = 'signal' in part
          const name = isSignal ? part.signal : termText(part.term)
          return (
            <tr key={`${isSignal} ${name}`} title={aboutPart(part)}>
              <th scope="row" class={isSignal ? 'signal' : 'term'}>
                {name}
              </th>
              <td class="bar-cell">
                <div class={`bar ${isSignal ? 'signal' : 'term'}`} style={{ width: share(part.score) }} />
              </td>
              <td class="number">{decimal(part.score)}</td>
            </tr>
          )
        })}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{texts.explain.sum}</th>
          <td />
          <td class="number">{decimal(sum)}</td>
        </tr>
      </tfoot>
    </table>
  )
}

/** A word that was found with a dictionary is indexed as `:<dictionary>=<word>`. */
function termText(term: string): string {
  return /^:[^=]+=(.+)$/u.exec(term)?.[1] ?? term
}

function aboutPart(part: ScorePart): string {
  return 'signal' in part
    ? texts.explain.signal(decimal(part.weight), decimal(part.value))
    : texts.explain.term(decimal(part.weight), part.frequency, part.length)
}

const steps = ['parse_ms', 'statistics_ms', 'top_k_ms', 'snippets_ms'] as const

/** How long each step of an answer took, as one bar. */
export function Timings({ explain, roundTripMs }: { explain: Explanation; roundTripMs: number }) {
  const { timings } = explain
  return (
    <div class="timings">
      <div class="timing-bar" aria-hidden="true">
        {steps.map(step => (
          <div key={step} class={step} style={{ flexGrow: Math.max(timings[step], 0.001) }} />
        ))}
      </div>
      <dl>
        {steps.map(step => (
          <div key={step}>
            <dt>
              <span class={`dot ${step}`} />
              {texts.explain.steps[step]}
            </dt>
            <dd>{duration(timings[step])}</dd>
          </div>
        ))}
        <div class="total">
          <dt>{texts.explain.server}</dt>
          <dd>{duration(timings.total_ms)}</dd>
        </div>
        <div>
          <dt>{texts.explain.roundTrip}</dt>
          <dd>{duration(roundTripMs)}</dd>
        </div>
        {explain.language && (
          <div>
            <dt>{texts.explain.language}</dt>
            <dd>{explain.language}</dd>
          </div>
        )}
      </dl>
    </div>
  )
}
