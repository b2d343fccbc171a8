import { useEffect, useId, useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { isoText, type Moment, momentText, type ReadMoment, readMoment } from './moment.ts'
import type { Timeline } from './timeline.ts'

interface Props {
  at: Moment
  timeline: Timeline
  /** The text of a moment in the address, if it was not understood. */
  unread: string | undefined
  onChoose: (moment: Moment) => void
}

/**
 * A field for an exact moment. A text that is not understood stays in the field, so that it can be corrected, with a message below. If the
 * text came from the address, the view shows the message.
 */
export function MomentField({ at, timeline, unread, onChoose }: Props) {
  const current = unread ?? (at === undefined ? '' : isoText(at).slice(0, 16).replace('T', ' '))
  const [text, setText] = useState(current)
  const [problem, setProblem] = useState<ReadMoment['problem']>()
  const id = useId()
  const reset = () => {
    setText(current)
    setProblem(unread === undefined ? undefined : 'unread')
  }
  useEffect(reset, [current, unread])
  return (
    <>
      <div class="exact">
        <input
          type="text"
          aria-label={texts.time.exact}
          aria-invalid={problem !== undefined}
          aria-describedby={id}
          title={texts.time.exact}
          placeholder={texts.time.exactHint}
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={event => {
            setText(event.currentTarget.value)
            setProblem(undefined)
          }}
          onChange={event => {
            if (event.currentTarget.value === current && unread === undefined) return reset()
            const read = readMoment(event.currentTarget.value, timeline.now)
            setProblem(read.problem)
            if (read.problem === undefined) onChoose(read.moment)
          }}
          onKeyDown={event => {
            if (event.key !== 'Escape') return
            event.preventDefault()
            reset()
            event.currentTarget.blur()
          }}
        />
      </div>
      <p id={id} class="bad moment-problem" role="alert">
        {problem === 'unread' && unread === undefined && `${texts.time.unread(text.trim())} ${texts.time.forms}`}
        {problem === 'future' &&
          (timeline.isSealed ? texts.time.sealedText(momentText(timeline.now)) : texts.time.future)}
      </p>
    </>
  )
}
