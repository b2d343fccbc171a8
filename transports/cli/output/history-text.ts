import { type HistoryResponse, printable } from '../../service/index.ts'

type Version = HistoryResponse['versions'][number]

/** Columns of a line, as most terminals have at least. */
const WIDTH = 80
/** Of an instant such as 2025-01-10T00:00:00.000Z, and of the gap behind it. */
const INSTANT_WIDTH = 26
const INDENT = '  '

const strong = (text: string) => `\x1b[1m${text}\x1b[22m`
const faint = (text: string) => `\x1b[2m${text}\x1b[22m`

/** Words in lines of at most `width` columns; a longer word has a line of its own. */
function wrapped(words: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1).trimEnd()}…`
}

/** Text as one argument of a shell: URLs of strangers may hold `$(…)`, which double quotes do not disarm. */
function shellQuoted(text: string): string {
  return `'${printable(text).replaceAll("'", "'\\''")}'`
}

/** A version and the one listed before it, if there is one. */
interface Row {
  version: Version
  previous: Version | undefined
  /** Whether it is the first version of all. */
  isFirst: boolean
}

function changes({ version: { kind, changed }, previous, isFirst }: Row): string {
  if (kind === 'removal') return 'removed'
  if (changed.length > 0) return changed.join(', ')
  if (isFirst) return 'first version'
  return previous?.kind === 'removal' ? 'back, unchanged' : 'nothing'
}

/** The title and publish date of a version, where they differ from those before. */
function factsOf({ version: { kind, title, published_at }, previous }: Row): string {
  if (kind === 'removal') return ''
  const published =
    published_at === undefined || published_at === previous?.published_at
      ? ''
      : `published ${published_at.slice(0, 10)}`
  if (title === previous?.title) return published
  const room = WIDTH - INDENT.length - (published === '' ? 0 : published.length + 2)
  const shown = cut(printable(title).replace(/\s+/g, ' ').trim() || '(untitled)', room)
  return published === '' ? shown : `${shown}, ${published}`
}

function linesOf(row: Row, paint: (text: string) => string): string[] {
  const { kind, at, superseded_at } = row.version
  const until = superseded_at ?? (kind === 'removal' ? '-' : 'current')
  const [first = '', ...rest] = wrapped(changes(row).split(' '), WIDTH - 2 * INSTANT_WIDTH)
  const facts = factsOf(row)
  return [
    `${at.padEnd(INSTANT_WIDTH)}${until.padEnd(INSTANT_WIDTH)}${first}`,
    ...rest.map(line => ' '.repeat(2 * INSTANT_WIDTH) + line),
    ...(facts === '' ? [] : [paint(INDENT + facts)]),
  ]
}

/**
 * The versions of a page as a table of 80 columns. Its instants can be given to `--query-time` as they are.
 *
 * @param options.isContinued - whether earlier versions were listed before these.
 */
export function historyText(
  { url, versions, next }: HistoryResponse,
  { colour, isContinued }: { colour: boolean; isContinued: boolean },
): string {
  const plain = (text: string) => text
  const [head, detail] = colour ? [strong, faint] : [plain, plain]
  const rows = versions.map((version, index) => ({
    version,
    previous: versions[index - 1],
    isFirst: index === 0 && !isContinued,
  }))
  const lines = [
    printable(url),
    head(`${'from'.padEnd(INSTANT_WIDTH)}${'until'.padEnd(INSTANT_WIDTH)}changed`),
    ...rows.flatMap(row => linesOf(row, detail)),
  ]
  if (next !== undefined) lines.push(`There are more. To continue: --after ${shellQuoted(next)}`)
  return lines.join('\n')
}
