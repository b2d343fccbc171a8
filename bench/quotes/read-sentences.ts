import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Maximum number of words of a sentence. What is longer is mostly a list or code. */
const MAX_WORDS = 40
const MIN_WORDS = 7

/**
 * Reads the sentences of the text files in a folder, without tables, code, headings and marks of Markdown.
 *
 * @returns the sentences of each file, in their order.
 */
export function readSentences(folder: string): string[][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(?:md|txt)$/.test(name))
    .sort()
    .map(name => sentencesOf(readFileSync(join(folder, name), 'utf8')))
    .filter(sentences => sentences.length > 0)
}

function sentencesOf(text: string): string[] {
  return text
    .replace(/^```[\s\S]*?^```/gm, '')
    .split(/\n\s*\n/)
    .filter(block => !/^[#|<>]|^\s{4}/.test(block))
    .flatMap(block =>
      block
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[*`_\\]|^- /gm, '')
        .replace(/\s+/g, ' ')
        .split(/(?<=[.!?]) (?=[A-Z])/),
    )
    .map(sentence => sentence.trim())
    .filter(sentence => {
      const words = sentence.split(' ').filter(word => /[a-z]{2}/.test(word)).length
      return words >= MIN_WORDS && words <= MAX_WORDS
    })
}
