/** A piece of text that pdf.js returns. */
export interface PdfRun {
  str: string
  /** `ltr`, `rtl` or `ttb` (from top to bottom). */
  dir: string
  width: number
  height: number
  /** Affine matrix. `x` and `y` are the start of the text, measured from the lower left corner of the page. */
  transform: readonly [number, number, number, number, x: number, y: number]
  hasEOL: boolean
}

/** Matches letters of scripts that are written from right to left. */
const RTL_LETTER = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u
/** Matches letters. Arabic digits, which belong to the script too, are not matched. */
const LETTER = /\p{L}/u
/** Minimum gap between two words, as a multiple of the font size. */
const WORD_GAP = 0.15
/** Matches the characters for the forms that an Arabic letter has at the start, in the middle and at the end of a word. */
const ARABIC_FORMS = /[\ufb50-\ufdff\ufe70-\ufefc]+/g

/** A piece of a line: a word, or part of one. */
interface Piece {
  text: string
  start: number
  end: number
  size: number
  isRtl: boolean
  hasLetter: boolean
}

/** True if most words of a line are written from right to left. */
export function isRightToLeft(runs: readonly PdfRun[]): boolean {
  let rtl = 0
  let ltr = 0
  for (const { str, dir } of runs) {
    if (!LETTER.test(str)) continue
    if (dir === 'rtl' || RTL_LETTER.test(str)) rtl += str.length
    else ltr += str.length
  }
  return rtl > 0 && rtl >= ltr
}

/**
 * Returns the text of a line that is written from right to left. In pdf.js, the letters of each piece are in reading order, but the pieces
 * are in the order of the file, which is often from left to right. Latin words and their numbers are read from left to right, and numbers
 * among other words are read in the order of the line (UAX #9, rules W7 and L2).
 */
export function rightToLeftText(runs: readonly PdfRun[]): string {
  const pieces = runs
    .filter(({ str }) => str.trim() !== '')
    .map(
      ({ str, dir, transform, width, height }): Piece => ({
        text: str.trim(),
        start: transform[4],
        end: transform[4] + width,
        size: height,
        isRtl: dir === 'rtl' || RTL_LETTER.test(str),
        hasLetter: LETTER.test(str),
      }),
    )
    .sort((a, b) => b.end - a.end)
  const ordered: Piece[] = []
  for (let at = 0; at < pieces.length; ) {
    let end = at
    while (end < pieces.length && !pieces[end]!.isRtl) end++
    if (end === at) ordered.push(pieces[at++]!)
    else {
      ordered.push(...leftToRight(pieces.slice(at, end)))
      at = end
    }
  }
  let text = ''
  ordered.forEach((piece, at) => {
    const before = ordered[at - 1]
    text += before && !areJoined(before, piece) ? ` ${piece.text}` : piece.text
  })
  return text.replace(ARABIC_FORMS, form => form.normalize('NFKC'))
}

/**
 * Returns pieces that are not right-to-left in reading order.
 *
 * @param pieces - from right to left.
 */
function leftToRight(pieces: readonly Piece[]): Piece[] {
  const reversed = [...pieces].reverse()
  if (pieces.some(({ hasLetter }) => hasLetter)) return reversed
  // All pieces are numbers, which are read from right to left. Only the pieces of one number are read from left to right.
  const numbers: Piece[][] = []
  for (const piece of reversed) {
    const last = numbers.at(-1)
    if (last && areJoined(last.at(-1)!, piece)) last.push(piece)
    else numbers.push([piece])
  }
  return numbers.reverse().flat()
}

/** True if there is no space between two pieces. */
function areJoined(a: Piece, b: Piece): boolean {
  const gap = Math.max(a.start, b.start) - Math.min(a.end, b.end)
  return gap < Math.max(a.size, b.size, 1) * WORD_GAP
}
