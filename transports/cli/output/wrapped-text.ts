/** Width of everything that commands print for a reader, in columns: the width that every terminal has. */
export const WIDTH = 80

/** Characters that take two columns: East Asian scripts with their punctuation, and emoji. */
const WIDE = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}`
const wide = new RegExp(`[${WIDE}]`, 'gu')
/** Between two wide characters a line may end without a space, but it does not begin with closing punctuation. */
const breaks = new RegExp(`(?:(?<=[${WIDE}])|(?=[${WIDE}]))(?![、。，．！？」』）】])`, 'u')
/** Escape sequences that set a style, marks over other characters, and format characters take no column. */
const invisible = /\x1b\[\d+m|[\p{Mn}\p{Me}\p{Cf}]/gu

/** Number of terminal columns that a text takes. */
export function columnsOf(text: string): number {
  const visible = text.replace(invisible, '')
  return [...visible].length + (visible.match(wide)?.length ?? 0)
}

/**
 * Fills lines of {@link WIDTH} columns with parts, which are never divided: one that is too long, such as a URL, has a
 * line of its own.
 *
 * @param first - begins the first line.
 * @param rest - begins every further line.
 */
export function fill(parts: readonly string[], gap: string, first = '', rest = first): string {
  return fillPieces(
    parts.map(text => ({ gap, text })),
    first,
    rest,
  )
}

/** Items separated by commas, in lines of {@link WIDTH} columns. */
export function joinItems(items: readonly string[], first = '', rest = first): string {
  const last = items.length - 1
  return fill(
    items.map((item, index) => (index < last ? `${item},` : item)),
    ' ',
    first,
    rest,
  )
}

/** A message for a reader: wrapped on a terminal, and one line elsewhere, so that programs find it whole. */
export function message(text: string, { isTTY }: { isTTY?: boolean }): string {
  return isTTY ? wrap(text) : text
}

/** Text in lines of {@link WIDTH} columns, broken at spaces and between wide characters; line breaks in it stay. */
export function wrap(text: string, first = '', rest = first): string {
  return text
    .split('\n')
    .map((line, index) => fillPieces(piecesOf(line), index === 0 ? first : rest, rest))
    .join('\n')
}

/** Text and the gap between it and the piece before, unless a line ends there. */
interface Piece {
  gap: string
  text: string
}

function piecesOf(line: string): Piece[] {
  return line
    .split(/ +/)
    .flatMap(word => word.split(breaks).map((text, index) => ({ gap: index === 0 ? ' ' : '', text })))
}

function fillPieces(pieces: readonly Piece[], first: string, rest: string): string {
  const lines: string[] = []
  let line = first
  let isEmpty = true
  for (const { gap, text } of pieces) {
    if (!isEmpty && columnsOf(line) + gap.length + columnsOf(text) > WIDTH) {
      lines.push(line)
      line = rest
      isEmpty = true
    }
    line += isEmpty ? text : gap + text
    isEmpty = false
  }
  return [...lines, line].join('\n')
}
