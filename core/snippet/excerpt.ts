import { isLowSurrogate } from '@asof/extract/characters'
/** A range `[start, end)` of UTF-16 offsets. */
export interface TextRange {
  start: number
  end: number
}

const SENTENCE_ENDS = '.!?…。！？｡\n'
const CLOSERS = '"\')]”’»」』'

/**
 * Widens a range of a text to at most `limit` units. If possible the result begins and ends at the ends of sentences,
 * otherwise between words.
 *
 * @param core - the range to widen. If it is longer than `limit`, its end is cut off.
 * @param bounds - the range that the result must stay within. It contains `core`.
 */
export function widen(text: string, core: TextRange, limit: number, bounds: TextRange): TextRange {
  if (bounds.end - bounds.start <= limit) {
    const start = skipSpace(text, bounds.start, core.start)
    return { start, end: trimEnd(text, core.end, bounds.end) }
  }
  const room = Math.max(0, limit - (core.end - core.start))
  const start = widenLeft(text, core.start, Math.max(bounds.start, core.start - Math.floor(room / 2)))
  const end = cutRight(text, core.end, Math.min(bounds.end, start + limit))
  return { start, end }
}

/**
 * Returns the start of the sentence that contains `from`. If the sentence starts before `earliest`, returns the first
 * word after `earliest`.
 */
function widenLeft(text: string, from: number, earliest: number): number {
  let word = from
  for (let at = from; at > earliest; at--) {
    if (at === 0 || isSentenceEnd(text, at)) return skipSpace(text, at, from)
    if (isGap(text, at)) word = at
  }
  if (earliest === 0) return skipSpace(text, 0, from)
  return skipSpace(text, word, from)
}

/**
 * Returns the last end of a sentence in the second half of `(from, latest]`. If there is none, returns the last end of a word or, without any
 * gap, `latest`.
 */
function cutRight(text: string, from: number, latest: number): number {
  if (latest >= text.length) return trimEnd(text, from, text.length)
  let word = -1
  const half = from + Math.floor((latest - from) / 2)
  for (let at = latest; at > from; at--) {
    if (at >= half && isSentenceEnd(text, at)) return trimEnd(text, from, at)
    if (word < 0 && isGap(text, at)) word = at
    if (word >= 0 && at < half) break
  }
  if (word >= 0) return trimEnd(text, from, word)
  return splitsPair(text, latest) ? latest - 1 : latest
}

/** True if a sentence ends just before `at`. */
function isSentenceEnd(text: string, at: number): boolean {
  if (at === 0 || at >= text.length) return at === text.length
  // Most characters are lower-case letters and spaces, which end no sentence.
  const unit = text.charCodeAt(at - 1)
  if ((unit >= 0x61 && unit <= 0x7a) || unit === 0x20) return text.charCodeAt(at) === 0x0a
  const before = text[at - 1]!
  if (before === '\n' || text[at] === '\n') return true
  if (!SENTENCE_ENDS.includes(before) && !CLOSERS.includes(before)) return false
  let end = at - 1
  while (end > 0 && CLOSERS.includes(text[end]!)) end--
  if (!SENTENCE_ENDS.includes(text[end]!)) return false
  return text[at] === ' ' || text[end]! > '\u2fff'
}

/** True if the text may be cut at `at`: next to white space, or between characters of a script without spaces. */
function isGap(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\n' || text[at - 1] === ' ' || text[at - 1] === '\n' || isUnspaced(text, at)
}

/** True between two Han or Kana characters. */
function isUnspaced(text: string, at: number): boolean {
  return text[at]! >= '\u3040' && text[at]! <= '\u9fff' && text[at - 1]! >= '\u3040' && text[at - 1]! <= '\u9fff'
}

/** True if `at` is inside a surrogate pair. */
function splitsPair(text: string, at: number): boolean {
  return isLowSurrogate(text.charCodeAt(at))
}

function skipSpace(text: string, at: number, end: number): number {
  while (at < end && (text[at] === ' ' || text[at] === '\n')) at++
  return at
}

function trimEnd(text: string, from: number, end: number): number {
  while (end > from && (text[end - 1] === ' ' || text[end - 1] === '\n')) end--
  return end
}
