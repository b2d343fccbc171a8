import { dayText, exactText, isoText, localText, momentText } from './moment.ts'

/**
 * An instant for a reader: in UTC, and on hover where the reader is.
 *
 * @param props.precision - of the text. Default `minute`.
 */
export function Instant({ at, precision = 'minute' }: { at: number; precision?: 'day' | 'minute' | 'second' }) {
  const text = { day: dayText, minute: momentText, second: exactText }[precision](at)
  return (
    <time dateTime={isoText(at)} title={`${exactText(at)}\n${localText(at)}`}>
      {text}
    </time>
  )
}
