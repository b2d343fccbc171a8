import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findPlaces } from '../../../core/passages/find-places.ts'
import { plainText } from '../../../core/text/markdown/plain-text.ts'

const docs = join(import.meta.dirname, '../../../docs')

/** Returns the words at the places that were found in Markdown for places of words in its text. */
function wordsFound(markdown: string, words: RegExp): (string | undefined)[] {
  const text = plainText(markdown)
  const found = [...text.matchAll(words)]
  const places = findPlaces(
    text,
    markdown,
    found.map(({ index }) => index),
  )
  return places.map((place, i) => (place < 0 ? undefined : markdown.slice(place, place + found[i]![0].length)))
}

describe('findPlaces', () => {
  it('finds words behind marks, links and tags, in their order', () => {
    const markdown = 'A **red** [fox](https://red.example/red-fox "red").\n\n<b class="x">Red</b> again, `red` too.'
    const text = plainText(markdown)
    const offsets = [...text.matchAll(/red/gi)].map(({ index }) => index)
    expect(findPlaces(text, markdown, offsets)).toEqual([
      markdown.indexOf('red'),
      markdown.indexOf('Red<'),
      markdown.indexOf('red` too'),
    ])
  })

  it('says that a word is nowhere if the Markdown writes it in another way', () => {
    expect(findPlaces('a\nfox', 'a\n\nf&#111;x', [2])).toEqual([-1])
    expect(findPlaces('', '', [])).toEqual([])
  })

  it('takes linear time if marks are between all words', () => {
    const words = 30_000
    const offsets = Array.from({ length: words }, (_, i) => i * 'fox is '.length)
    const markdown = `${'**fox**_is_ '.repeat(words)}${'rest '.repeat(200_000)}`
    const started = performance.now()
    expect(findPlaces('fox is '.repeat(words), markdown, offsets)).not.toContain(-1)
    expect(performance.now() - started).toBeLessThan(4_000)
  })

  it('finds nearly all words of the documents of asof', () => {
    let found = 0
    let all = 0
    for (const name of readdirSync(docs).filter(file => file.endsWith('.md'))) {
      const words = wordsFound(
        readFileSync(join(docs, name), 'utf8'),
        /\b(?:page|index|engine|server|instant|key)s?\b/g,
      )
      all += words.length
      found += words.filter(
        word => word !== undefined && /^(?:page|index|engine|server|instant|key)s?$/.test(word),
      ).length
    }
    expect(all).toBeGreaterThan(1_000)
    expect(found / all).toBeGreaterThan(0.97)
  })
})
