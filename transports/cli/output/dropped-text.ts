import type { ExtractedPage } from '@asof/core'
import { columnsOf, joinItems, WIDTH } from './wrapped-text.ts'

const WORDS = 6
const RULE = 21
const GAP = '  '

/** Returns a table of the rules that dropped text from a page, in lines of at most 80 columns. */
export function droppedText(explanation: ExtractedPage['explanation']): string {
  if (!explanation) return 'No rule drops text: the page is not HTML.'
  const { words, dropped, undone } = explanation
  const total = dropped.reduce((sum, rule) => sum + rule.words, 0)
  const row = (count: string, rule: string, start: string) =>
    `${count.padStart(WORDS)}${GAP}${rule.padEnd(RULE)}${GAP}${start}`.trimEnd()
  const room = WIDTH - row('', '', '.').length + 1
  const lines = [`${words.toLocaleString('en')} words kept, ${total.toLocaleString('en')} dropped`]
  if (undone.length > 0) lines.push(joinItems(undone, 'Undone, because hardly a word was left: ', '  '))
  if (dropped.length > 0) lines.push('', row('words', 'rule', 'beginning of the text'))
  for (const { rule, words: count, text } of dropped) lines.push(row(count.toLocaleString('en'), rule, cut(text, room)))
  return lines.join('\n')
}

/** Cuts a text to a number of columns. */
function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let [taken, width] = ['', 0]
  for (const char of text) {
    width += columnsOf(char)
    if (width > columns - 1) break
    taken += char
  }
  return `${taken.trimEnd()}…`
}
