import { firstCodePoints } from '../../service/index.ts'

const MAX_CHARS = 80

/**
 * Quotes the beginning of a goal as one line of code in markdown, in which no character has a meaning. Control, format and
 * white-space characters become single spaces and backticks become apostrophes, so nothing can end the line or the code.
 *
 * @returns an empty text if nothing of the goal can be shown.
 */
export function shownGoal(goal: string): string {
  const line = goal
    .toWellFormed()
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .replaceAll('`', "'")
    .trim()
  const start = firstCodePoints(line, MAX_CHARS).trim()
  if (start === '') return ''
  return `\`${start}${start.length < line.length ? ' …' : ''}\``
}
