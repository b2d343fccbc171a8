import { useState } from 'preact/hooks'
import { api } from '../api/api.ts'
import type { LongestQuote, Verdict } from '../api/wire.ts'
import { Failure } from '../frame/failure.tsx'
import { useLoaded } from '../frame/use-loaded.ts'
import { Loading } from '../search/search-view.tsx'
import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'

/** Longest quote that the server judges, in characters. */
const MAX_CHARS: LongestQuote = 2_000

/** Says whether a page has a quote, when it had it, and what it says instead. */
export function QuoteCheck({ url, queryTime }: { url: string; queryTime: string | undefined }) {
  const [quote, setQuote] = useState('')
  const [judged, retry] = useLoaded(quote === '' ? undefined : `${url} ${queryTime} ${quote}`, () =>
    api.verify({ url, quote, query_time: queryTime }),
  )
  return (
    <div class="quote-check">
      <form
        onSubmit={event => {
          event.preventDefault()
          setQuote(String(new FormData(event.currentTarget).get('quote')).trim())
        }}
      >
        <label for="quote">{texts.quote.label}</label>
        <textarea id="quote" name="quote" rows={3} maxLength={MAX_CHARS} required dir="auto" />
        <button type="submit" class="button primary">
          {texts.quote.check}
        </button>
      </form>
      <div aria-live="polite">
        {quote !== '' && judged.state === 'loading' && <Loading />}
        {judged.state === 'failed' && <Failure failure={judged.failure} onRetry={retry} />}
        {judged.state === 'full' && <Judgment verdict={judged.value} />}
      </div>
    </div>
  )
}

function Judgment({
  verdict: { verdict, passage, differences = [], stood, read_from: readFrom },
}: {
  verdict: Verdict
}) {
  return (
    <section class={`verdict ${verdict}`}>
      <h2>{texts.quote.verdicts[verdict]}</h2>
      {passage && (
        <>
          <blockquote dir="auto">{passage.text}</blockquote>
          <p class="faint">{texts.quote.place(passage.start, passage.end)}</p>
        </>
      )}
      {differences.length > 0 && (
        <ul class="differences">
          {differences.map(({ quote, page, contradicts }, i) => (
            <li key={i} dir="auto">
              {contradicts !== undefined && <strong>{texts.quote.contradicts[contradicts]}: </strong>}
              {quote !== '' && <del title={texts.quote.inQuote}>{quote}</del>}{' '}
              {page !== '' && <ins title={texts.quote.onPage}>{page}</ins>}
            </li>
          ))}
        </ul>
      )}
      {stood.length === 0 ? (
        verdict !== 'unknown_page' && <p class="faint">{texts.quote.never}</p>
      ) : (
        <>
          <h3>{texts.quote.stood}</h3>
          <ul class="stood">
            {stood.map(({ from, until }) => (
              <li key={from}>
                <Instant at={Date.parse(from)} /> –{' '}
                {until === undefined ? texts.quote.stillThere : <Instant at={Date.parse(until)} />}
              </li>
            ))}
          </ul>
        </>
      )}
      {readFrom !== undefined && (
        <p class="note">
          {texts.quote.readFrom} <Instant at={Date.parse(readFrom)} />
        </p>
      )}
    </section>
  )
}
