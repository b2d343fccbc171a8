import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillBudget, type PassageSource } from '../../../core/passages/fill-budget.ts'
import type { OpenedPage } from '../../../core/passages/open-page.ts'
import { pageParts } from '../../../core/passages/page-parts.ts'
import { processorMs } from '../../processor-time.ts'

/** A page of paragraphs with scores, and how often it was read. */
function sourceOf(paragraphs: readonly (readonly [text: string, score: number])[], likely: number, factor = 1) {
  const markdown = paragraphs.map(([text]) => text).join('\n\n')
  const parts = pageParts(markdown, 2_000)
  const scores = paragraphs.map(([, score]) => score)
  const ranked = [...scores.keys()].filter(i => scores[i]! > 0).sort((a, b) => scores[b]! - scores[a]!)
  const page: OpenedPage = { markdown, parts, scores, ranked }
  let reads = 0
  const source: PassageSource = {
    factor,
    likely,
    open: () => {
      reads++
      return page
    },
  }
  return { source, reads: () => reads }
}

const unlimited = { maxChars: 50_000, maxTokens: 50_000, maxPerPage: 100, maxLength: 2_000 }

function textsOf(sources: readonly PassageSource[], budget: Partial<typeof unlimited> = {}): string[][] {
  return fillBudget(sources, { ...unlimited, ...budget }).map(({ page, passages }) =>
    passages.map(({ start, end }) => page.markdown.slice(start, end)),
  )
}

describe('fillBudget', () => {
  it('takes the best passages of all pages, in the order of each page, and joins neighbors', () => {
    const first = sourceOf(
      [
        ['Alpha one.', 2],
        ['Beta two.', 0],
        ['Gamma three.', 5],
        ['Delta four.', 4],
      ],
      5,
    )
    const second = sourceOf([['Epsilon five.', 3]], 3)
    expect(textsOf([first.source, second.source])).toEqual([
      ['Alpha one.', 'Gamma three.\n\nDelta four.'],
      ['Epsilon five.'],
    ])
    expect(textsOf([first.source, second.source], { maxChars: 40 })).toEqual([
      ['Gamma three.\n\nDelta four.'],
      ['Epsilon five.'],
    ])
  })

  it('keeps to the number of characters and of tokens, gaps included', () => {
    const { source } = sourceOf(
      [
        ['Alpha one.', 3],
        ['Beta two.', 2],
      ],
      3,
    )
    expect(textsOf([source], { maxChars: 21 })).toEqual([['Alpha one.\n\nBeta two.']])
    expect(textsOf([source], { maxChars: 20 })).toEqual([['Alpha one.']])
    expect(textsOf([source], { maxTokens: 6 })).toEqual([['Alpha one.']])
  })

  it('joins parts in the same way, in whatever order they were chosen', () => {
    const paragraph = fc.tuple(
      fc.integer({ min: 1, max: 150 }),
      fc.constantFrom(' ', ' ', ' … '),
      fc.double({ min: 1, max: 9, noNaN: true }),
    )
    fc.assert(
      fc.property(fc.array(paragraph, { minLength: 1, maxLength: 40 }), drawn => {
        const texts = drawn.map(([words, gap], i) =>
          Array.from({ length: words % 19 }, (_, w) => `w${i}x${w}`).join(gap),
        )
        const paragraphs = texts.map((text, i) => `Part ${i} ${text} ${'long '.repeat(drawn[i]![0])}`.trim())
        const inOrder = sourceOf(
          paragraphs.map((text, i) => [text, paragraphs.length - i]),
          5,
        )
        const shuffled = sourceOf(
          paragraphs.map((text, i) => [text, drawn[i]![2]!]),
          5,
        )
        expect(textsOf([shuffled.source])).toEqual(textsOf([inOrder.source]))
      }),
    )
  })

  it('takes about linear time in the number of parts', () => {
    const items = Array.from({ length: 10_000 }, (_, i) => `w${(i * 7_919).toString(36)}`)
    const started = performance.now()
    for (const slope of [1, -1]) {
      const { source } = sourceOf(
        items.map((text, i) => [text, 20_000 + slope * i]),
        30_000,
      )
      textsOf([source])
    }
    expect(performance.now() - started).toBeLessThan(4_000)
  })

  it('ends in bounded time if hardly any part adds something', () => {
    const copies = Array.from({ length: 2_400 }, (_, group) => {
      const text = Array.from({ length: 10 }, (_, i) => (group * 10 + i).toString(36)).join(' ')
      return Array<readonly [string, number]>(19).fill([text, 5_000 - group])
    })
    const { source } = sourceOf(copies.flat(), 10_000)
    const choose = () => expect(textsOf([source], { maxPerPage: 5_000 }).flat().length).toBeGreaterThan(300)
    expect(processorMs(choose)).toBeLessThan(3_000)
  })

  it('reads no other page after pages of many megabytes', () => {
    const long = sourceOf([[`Alpha one. ${' '.repeat(17_000_000)}.`, 5]], 5)
    const short = sourceOf([['Beta two.', 4]], 4)
    textsOf([long.source, short.source])
    expect([long.reads(), short.reads()]).toEqual([1, 0])
  })

  it('takes at most a given number of passages of a page', () => {
    const { source } = sourceOf(
      [
        ['Alpha one.', 3],
        ['Beta two.', 0],
        ['Gamma three.', 2],
      ],
      3,
    )
    expect(textsOf([source], { maxPerPage: 1 })).toEqual([['Alpha one.']])
  })

  it('reads a page only if it may have the next passage', () => {
    const good = sourceOf(
      [
        ['Alpha one.', 5],
        ['Beta two.', 4],
      ],
      5,
    )
    const poor = sourceOf([['Gamma three.', 1]], 1)
    textsOf([good.source, poor.source], { maxChars: 21 })
    expect([good.reads(), poor.reads()]).toEqual([1, 0])
  })

  it('prefers the passages of pages that answer better', () => {
    const good = sourceOf([['Alpha one.', 3]], 3, 1)
    const poor = sourceOf([['Gamma three.', 4]], 4, 0.5)
    expect(textsOf([good.source, poor.source])).toEqual([['Alpha one.'], ['Gamma three.']])
  })

  it('leaves out pages that were purged, and parts that cannot be quotes', () => {
    const { source } = sourceOf(
      [
        ['…'.repeat(20).split('').join(' a '), 3],
        ['!!!', 2],
        ['Alpha one.', 1],
      ],
      3,
    )
    expect(textsOf([{ ...source, open: () => undefined }, source])).toEqual([['Alpha one.']])
    expect(textsOf([])).toEqual([])
  })
})
