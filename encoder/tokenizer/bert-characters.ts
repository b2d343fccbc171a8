import { marks, punctuation, removed, spaces } from './bert-characters.generated.ts'

/**
 * The classes of characters that BERT distinguishes, as the insides of regular expressions. They are a table, because the classes of
 * JavaScript change with the Unicode version of Node.js, and with them the vectors of texts would.
 */
export const bertCharacters = {
  removed: classOf(removed),
  spaces: classOf(spaces),
  marks: classOf(marks),
  punctuation: classOf(punctuation),
}

function classOf(table: string): string {
  const numbers = table.split(' ').map(number => Number.parseInt(number, 36))
  let text = ''
  let last = 0
  for (let i = 0; i < numbers.length; i += 2) {
    const first = last + numbers[i]!
    last = first + numbers[i + 1]!
    text += `${escaped(first)}-${escaped(last)}`
  }
  return text
}

function escaped(code: number): string {
  return `\\u{${code.toString(16)}}`
}
