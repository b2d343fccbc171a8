import { type HistoryResponse, printable, printableLine } from '../../../service/index.ts'
import { textStyle } from './text-style.ts'
import { shellWord } from './wording.ts'
import { columnsOf, fill, WIDTH } from './wrapped-text.ts'

type Version = HistoryResponse['versions'][number]

/** Columns of an instant, such as 2025-01-10T00:00:00.000Z, with the gap after it. */
const INSTANT_WIDTH = 26
const INDENT = '  '

/** Cuts a text to a number of columns. A text that was cut ends in `…`. */
function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let kept = ''
  for (const character of text) {
    if (columnsOf(kept + character) >= columns) break
    kept += character
  }
  return `${kept.trimEnd()}…`
}

/** A version and the one that is listed before it. */
interface Row {
  version: Version
  previous: Version | undefined
  /** True for the first version of the page. */
  isFirst: boolean
}

function changes({ version: { kind, changed }, previous, isFirst }: Row): string {
  if (kind === 'removal') return 'removed'
  if (changed.length > 0) return changed.join(', ')
  if (isFirst) return 'first version'
  return previous?.kind === 'removal' ? 'back, unchanged' : 'nothing'
}

/** Returns the title and the publish date of a version. Leaves out a value that the previous version has too. */
function factsOf({ version: { kind, title, published_at }, previous }: Row): string {
  if (kind === 'removal') return ''
  const published =
    published_at === undefined || published_at === previous?.published_at
      ? ''
      : `published ${published_at.slice(0, 10)}`
  if (title === previous?.title) return published
  const room = WIDTH - INDENT.length - (published === '' ? 0 : published.length + 2)
  const shown = cut(printableLine(title) || '(untitled)', room)
  return published === '' ? shown : `${shown}, ${published}`
}

function linesOf(row: Row, paint: (text: string) => string): string[] {
  const { kind, at, superseded_at } = row.version
  const until = superseded_at ?? (kind === 'removal' ? '-' : 'current')
  const times = at.padEnd(INSTANT_WIDTH) + until.padEnd(INSTANT_WIDTH)
  const facts = factsOf(row)
  const changed = fill(changes(row).split(' '), ' ', times, ' '.repeat(times.length))
  return facts === '' ? [changed] : [changed, paint(INDENT + facts)]
}

/**
 * Returns the versions of a page as a table of 80 columns. `--query-time` accepts its instants.
 *
 * @param options.isContinued - true if earlier versions were listed before these.
 */
export function historyText(
  { url, versions, next }: HistoryResponse,
  { color, isContinued }: { color: boolean; isContinued: boolean },
): string {
  const { strong, faint } = textStyle(color)
  const rows = versions.map((version, index) => ({
    version,
    previous: versions[index - 1],
    isFirst: index === 0 && !isContinued,
  }))
  const lines = [
    printable(url),
    strong(`${'from'.padEnd(INSTANT_WIDTH)}${'until'.padEnd(INSTANT_WIDTH)}changed`),
    ...rows.flatMap(row => linesOf(row, faint)),
  ]
  if (next !== undefined) lines.push(`There are more versions. To list them: --after ${shellWord(printable(next))}`)
  return lines.join('\n')
}
