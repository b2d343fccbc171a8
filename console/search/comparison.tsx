import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'
import { isoText, type Moment } from '../time/moment.ts'
import { visibleText, visibleUrl } from '../visible-text.ts'
import { momentOf, type Shown } from './answers.ts'
import { Highlighted } from './highlighted.tsx'
import { type ComparedResult, compared } from './ranks.ts'
import { pageAddress } from './result-list.tsx'
import { hostOf } from './search-box.tsx'

interface Side {
  name: string
  otherName: string
  moment: Moment
  otherMoment: Moment
  results: ComparedResult[]
}

/** Two answers to the same search side by side, and what differs. */
export function Comparison({ a, b }: { a: Shown; b: Shown }) {
  const [at, against] = [momentOf(a), momentOf(b)]
  const [resultsA, resultsB] = [a.answer.response.results, b.answer.response.results]
  const { moments } = texts.time
  const sides: Side[] = [
    { name: moments.a, otherName: moments.b, moment: at, otherMoment: against, results: compared(resultsA, resultsB) },
    { name: moments.b, otherName: moments.a, moment: against, otherMoment: at, results: compared(resultsB, resultsA) },
  ]
  return (
    <section class="comparison" aria-label={texts.compare.title}>
      <p class="summary" role="status">
        {summaryOf(sides[0]?.results ?? [], sides[1]?.results ?? [])}
      </p>
      <div class="compare-sides">
        {sides.map(side => (
          <section key={side.name} class={`side side-${side.name.toLowerCase()}`}>
            <h2>
              <span class="badge">{side.name}</span>
              {side.moment === undefined ? (
                texts.time.asOfNow
              ) : (
                <>
                  {texts.time.asOf} <Instant at={side.moment} />
                </>
              )}
            </h2>
            {side.results.length === 0 && <p class="faint">{texts.search.none}</p>}
            <ol class="compared">
              {side.results.map((each, place) => (
                <ComparedItem key={each.result.url} {...each} rank={place + 1} side={side} />
              ))}
            </ol>
          </section>
        ))}
      </div>
    </section>
  )
}

function ComparedItem({ result, rank, rankThere, hasOtherText, side }: ComparedResult & { rank: number; side: Side }) {
  const isMoved = rankThere !== undefined && rankThere !== rank
  const kind = rankThere === undefined ? 'only' : isMoved ? 'moved' : 'same'
  return (
    <li class={`compared-item ${kind}`}>
      <span class="rank">{rank}</span>
      <div>
        <h3>
          <a class="result-link" href={pageAddress(result.url, side.moment)} dir="auto">
            {visibleText(result.title) || visibleUrl(result.url)}
          </a>
        </h3>
        <p class="result-site">
          <bdi dir="ltr" class="host">
            {hostOf(result.url)}
          </bdi>
          {kind === 'only' && <span class="move new">{texts.compare.only}</span>}
          {isMoved && (
            <span class={`move ${rankThere > rank ? 'up' : 'down'}`}>
              {texts.compare.rankThere(rankThere, side.otherName)}
            </span>
          )}
          {hasOtherText && (
            <a
              class="move text"
              href={pageAddress(result.url, side.moment, {
                against: isoText(side.otherMoment ?? Date.now()),
                view: 'changes',
              })}
              title={texts.compare.difference}
            >
              {texts.compare.otherText}
            </a>
          )}
        </p>
        {result.snippet && (
          <p class="snippet short" dir="auto">
            <Highlighted text={result.snippet} />
          </p>
        )}
      </div>
    </li>
  )
}

function summaryOf(a: readonly ComparedResult[], b: readonly ComparedResult[]): string {
  const onlyA = a.filter(({ rankThere }) => rankThere === undefined).length
  const onlyB = b.filter(({ rankThere }) => rankThere === undefined).length
  const shared = a.flatMap((each, place) => (each.rankThere === undefined ? [] : [{ ...each, rank: place + 1 }]))
  const moved = shared.filter(({ rankThere, rank }) => rankThere !== rank).length
  const changed = shared.filter(({ hasOtherText }) => hasOtherText).length
  if (onlyA + onlyB + moved + changed === 0) return texts.compare.same
  const kept = shared.filter(({ rankThere, rank, hasOtherText }) => rankThere === rank && !hasOtherText).length
  const parts = [
    onlyA > 0 && texts.compare.onlyA(onlyA),
    onlyB > 0 && texts.compare.onlyB(onlyB),
    moved > 0 && texts.compare.moved(moved),
    changed > 0 && texts.compare.changed(changed),
    kept > 0 && texts.compare.kept(kept),
  ]
  return texts.compare.summary(parts.filter(part => part !== false))
}
