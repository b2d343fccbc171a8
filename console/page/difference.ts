import { diffLines, diffWordsWithSpace } from 'diff'

/** A piece of a line. Both versions have the text of a piece of kind `same`; one version has that of a changed piece. */
export interface Piece {
  text: string
  kind: 'same' | 'changed'
}

/** A line of the comparison. `before` and `after` are the line in each version; undefined where a version does not have it. */
export interface Row {
  before?: Piece[] | undefined
  after?: Piece[] | undefined
}

/** Lines that changed, with a few around them; or the number of lines that are left out, because they are equal. */
export type Block = { kind: 'rows'; rows: Row[] } | { kind: 'skipped'; lines: number }

export interface Difference {
  blocks: Block[]
  addedLines: number
  removedLines: number
  /** True if words were not compared, because that would take too long. */
  isByLines: boolean
}

/** Number of equal lines that are shown around a change. */
const CONTEXT_LINES = 2
/** Time after which a comparison of lines stops, milliseconds. Both versions are then shown as one change. */
const LINES_TIMEOUT_MS = 1_500
/** The same for the words of one changed part, and for those of all. */
const WORDS_TIMEOUT_MS = 100
const ALL_WORDS_TIMEOUT_MS = 1_000

const linesOf = (text: string) => text.replace(/\n$/, '').split('\n')
const whole = (text: string, kind: Piece['kind']): Piece[] => [{ text, kind }]

/** Compares two texts: first line by line, then the lines that changed word by word. Bounded in time for texts of any kind. */
export function differenceOf(before: string, after: string): Difference {
  const parts = diffLines(ended(before), ended(after), { timeout: LINES_TIMEOUT_MS }) ?? [
    { value: ended(before), removed: true, added: false, count: 1 },
    { value: ended(after), added: true, removed: false, count: 1 },
  ]
  const rows: Row[] = []
  const difference: Difference = { blocks: [], addedLines: 0, removedLines: 0, isByLines: false }
  const deadline = performance.now() + ALL_WORDS_TIMEOUT_MS
  for (let place = 0; place < parts.length; place++) {
    const part = parts[place]
    if (!part) continue
    if (!part.added && !part.removed) {
      for (const line of linesOf(part.value)) rows.push({ before: whole(line, 'same'), after: whole(line, 'same') })
      continue
    }
    const following = parts[place + 1]
    const isReplaced = part.removed && following?.added
    const removed = part.removed ? linesOf(part.value) : []
    const added = isReplaced ? linesOf(following.value) : part.added ? linesOf(part.value) : []
    if (isReplaced) place++
    difference.removedLines += removed.length
    difference.addedLines += added.length
    for (let line = 0; line < Math.max(removed.length, added.length); line++) {
      const [old, fresh] = [removed[line], added[line]]
      if (old !== undefined && fresh !== undefined) {
        const words = performance.now() < deadline ? wordsOf(old, fresh) : undefined
        if (!words) difference.isByLines = true
        rows.push(words ?? { before: whole(old, 'changed'), after: whole(fresh, 'changed') })
      } else {
        rows.push({
          before: old === undefined ? undefined : whole(old, 'changed'),
          after: fresh === undefined ? undefined : whole(fresh, 'changed'),
        })
      }
    }
  }
  difference.blocks = blocksOf(rows)
  return difference
}

/** A last line without a line feed would differ from the same line in the middle of the other text. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** Compares two lines word by word; undefined if that takes too long. */
function wordsOf(before: string, after: string): Row | undefined {
  const parts = diffWordsWithSpace(before, after, { timeout: WORDS_TIMEOUT_MS })
  if (!parts) return undefined
  const side = (without: 'added' | 'removed') =>
    parts
      .filter(part => !part[without])
      .map((part): Piece => ({ text: part.value, kind: part.added || part.removed ? 'changed' : 'same' }))
  return { before: side('added'), after: side('removed') }
}

/** True if both versions have the same line. */
export function isSame({ before, after }: Row): boolean {
  return [before, after].every(line => line?.every(({ kind }) => kind === 'same') ?? false)
}

function blocksOf(rows: readonly Row[]): Block[] {
  const changes = rows.flatMap((row, place) => (isSame(row) ? [] : [place]))
  const isNear = new Uint8Array(rows.length)
  for (const place of changes) isNear.fill(1, Math.max(0, place - CONTEXT_LINES), place + CONTEXT_LINES + 1)
  const blocks: Block[] = []
  for (const [place, row] of rows.entries()) {
    const last = blocks.at(-1)
    if (isNear[place]) {
      if (last?.kind === 'rows') last.rows.push(row)
      else blocks.push({ kind: 'rows', rows: [row] })
    } else if (last?.kind === 'skipped') last.lines++
    else blocks.push({ kind: 'skipped', lines: 1 })
  }
  return blocks
}
