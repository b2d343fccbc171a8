/** Width of the text that commands print for people, in columns. Every terminal has this width. */
export const WIDTH = 80

/** Characters that take two columns: East Asian scripts with their punctuation, and emoji. */
const WIDE = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}`
const wide = new RegExp(`[${WIDE}]`, 'gu')
/**
 * Matches the places next to wide characters where a line may end without a space. A line must not begin with closing
 * punctuation.
 */
const breaks = new RegExp(`(?:(?<=[${WIDE}])|(?=[${WIDE}]))(?![、。，．！？」』）】])`, 'u')
/**
 * Matches characters that take no column: escape sequences that set a style, marks over other characters, and format
 * characters.
 */
const invisible = /\x1b\[\d+m|[\p{Mn}\p{Me}\p{Cf}]/gu

/** Returns the number of terminal columns that a text takes. */
export function columnsOf(text: string): number {
  const visible = text.replace(invisible, '')
  return [...visible].length + (visible.match(wide)?.length ?? 0)
}

/**
 * Fills lines of {@link WIDTH} columns with parts, which are never divided. A part that is too long, such as a URL, gets a line
 * of its own.
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

/** Joins items by commas, in lines of {@link WIDTH} columns. */
export function joinItems(items: readonly string[], first = '', rest = first): string {
  const last = items.length - 1
  return fill(
    items.map((item, index) => (index < last ? `${item},` : item)),
    ' ',
    first,
    rest,
  )
}

/** Returns rows, which have the same number of cells, as lines with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => columnsOf(row[column] ?? ''))))
  return rows.map(row =>
    row
      .map((cell, column) => cell + ' '.repeat((widths?.[column] ?? 0) - columnsOf(cell)))
      .join('  ')
      .trimEnd(),
  )
}

/** Returns a message as it is printed: wrapped on a terminal, and in one line elsewhere, so that programs can search for it. */
export function message(text: string, { isTTY }: { isTTY?: boolean }): string {
  return isTTY ? wrap(text) : text
}

/** Wraps a text into lines of {@link WIDTH} columns, at spaces and between wide characters. Keeps its line breaks. */
export function wrap(text: string, first = '', rest = first): string {
  return text
    .split('\n')
    .map((line, index) => fillPieces(piecesOf(line), index === 0 ? first : rest, rest))
    .join('\n')
}

/** A part of a line that is not divided. `gap` separates it from the piece before on the same line. */
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
