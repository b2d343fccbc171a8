import { Fragment } from 'preact'
import { useMemo } from 'preact/hooks'
import { count } from '../numbers.ts'
import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'
import { differenceOf, isSame, type Piece, type Row } from './difference.ts'

export type Layout = 'inline' | 'sides'

interface Props {
  before: string
  after: string
  beforeAt: number
  afterAt: number
  layout: Layout
}

/** What changed between two versions of a page, by words. */
export function Changes({ before, after, beforeAt, afterAt, layout }: Props) {
  const difference = useMemo(() => differenceOf(before, after), [before, after])
  if (difference.addedLines + difference.removedLines === 0) return <p class="state">{texts.page.same}</p>
  return (
    <>
      <p class="change-counts">
        <span class="added">+{count(difference.addedLines)}</span>{' '}
        <span class="removed">−{count(difference.removedLines)}</span>
        {difference.isByLines && <span class="faint"> {texts.page.tooLarge}</span>}
      </p>
      <div class={`changes ${layout}`} role="table" aria-label={texts.page.tabs.changes}>
        {layout === 'sides' && (
          <div class="change-row head" role="row">
            <span role="columnheader">
              <Instant at={beforeAt} />
            </span>
            <span role="columnheader">
              <Instant at={afterAt} />
            </span>
          </div>
        )}
        {difference.blocks.map((block, place) =>
          block.kind === 'skipped' ? (
            <div key={place} class="skipped" role="row">
              <span role="cell">{texts.page.unchanged(block.lines)}</span>
            </div>
          ) : (
            <Fragment key={place}>
              {block.rows.map((row, line) =>
                layout === 'sides' ? <SideRow key={line} row={row} /> : <InlineRow key={line} row={row} />,
              )}
            </Fragment>
          ),
        )}
      </div>
    </>
  )
}

function SideRow({ row }: { row: Row }) {
  const same = isSame(row)
  return (
    <div class="change-row" role="row">
      <div role="cell" class={row.before ? (same ? '' : 'removed') : 'none'} dir="auto">
        {row.before && <Line pieces={row.before} sign={same ? '' : texts.page.removed} />}
      </div>
      <div role="cell" class={row.after ? (same ? '' : 'added') : 'none'} dir="auto">
        {row.after && <Line pieces={row.after} sign={same ? '' : texts.page.added} />}
      </div>
    </div>
  )
}

function InlineRow({ row }: { row: Row }) {
  if (isSame(row)) return <InlineLine pieces={row.after ?? []} />
  return (
    <>
      {row.before && <InlineLine pieces={row.before} kind="removed" />}
      {row.after && <InlineLine pieces={row.after} kind="added" />}
    </>
  )
}

function InlineLine({ pieces, kind }: { pieces: readonly Piece[]; kind?: 'removed' | 'added' }) {
  return (
    <div class="change-row" role="row">
      <div role="cell" class={kind} dir="auto">
        <Line pieces={pieces} sign={kind === undefined ? '' : texts.page[kind]} />
      </div>
    </div>
  )
}

function Line({ pieces, sign }: { pieces: readonly Piece[]; sign: string }) {
  return (
    <>
      {sign !== '' && <span class="hidden">{sign}: </span>}
      {pieces.map(({ text, kind }, place) => (kind === 'changed' ? <b key={place}>{text}</b> : text))}
    </>
  )
}
