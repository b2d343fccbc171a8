import { texts } from '../texts.ts'
import { Instant } from './instant.tsx'
import { type Moment, type Moments, momentText } from './moment.ts'
import type { Timeline } from './timeline.ts'

interface Props {
  timeline: Timeline
  /** The moments of the answers that are shown. */
  shown: Moments
  /** The moments of the address, whose answers may still be awaited. */
  wanted: Moments
}

/** Shows the moment of the answer on the screen, and the one to which the reader is going. */
export function MomentHeading({ timeline, shown, wanted }: Props) {
  const { moments } = texts.time
  const isComparing = shown.against !== null
  const goals: { to: Moment; from: Moment }[] = [{ to: wanted.at, from: shown.at }]
  if (shown.against !== null && wanted.against !== null) goals.push({ to: wanted.against, from: shown.against })
  const goal = goals.find(({ to, from }) => to !== from)
  return (
    <p class="moment" aria-live="polite">
      <MomentText moment={shown.at} timeline={timeline} name={isComparing ? moments.a : undefined} />
      {shown.against !== null && <MomentText moment={shown.against} timeline={timeline} name={moments.b} />}
      {timeline.isSealed && (
        <span class="seal" title={texts.time.sealedText(momentText(timeline.now))}>
          {texts.time.sealed}
        </span>
      )}
      {goal ? (
        <span class="going faint">
          {texts.time.going(goal.to === undefined ? texts.time.now : momentText(goal.to))}
        </span>
      ) : (
        !isComparing && (
          <span class="faint">{texts.time.captures(timeline.capturesUpTo(shown.at), timeline.captures)}</span>
        )
      )}
    </p>
  )
}

function MomentText({ moment, timeline, name }: { moment: Moment; timeline: Timeline; name?: string | undefined }) {
  return (
    <strong class={name ? `moment-${name.toLowerCase()}` : undefined}>
      {name && <span class="badge">{name}</span>}
      {moment === undefined && !timeline.isSealed ? (
        texts.time.asOfNow
      ) : (
        <>
          {texts.time.asOf} <Instant at={moment ?? timeline.now} />
        </>
      )}
    </strong>
  )
}
