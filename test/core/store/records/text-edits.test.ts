import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader } from '../../../../core/bytes/byte-buffer.ts'
import { applyEdits, encodeEdits, type PiecedText } from '../../../../core/store/records/text-edits.ts'
import { plainText } from '../../../../core/text/markdown/plain-text.ts'
import { processorMs } from '../../../processor-time.ts'

const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })
/** A text in pieces of three units. */
const pieced = (text: string): PiecedText => ({
  count: Math.ceil(text.length / 3),
  piece: index => text.slice(index * 3, index * 3 + 3),
})
const again = (from: string, to: string, units?: number) =>
  applyEdits(pieced(from), new ByteReader(encodeEdits(from, to)), units)

const pieces = fc.constantFrom(
  'a b ',
  'river ',
  '😀',
  '😁',
  '𠮷',
  '\ud83d\ude00\ude01'.toWellFormed(),
  '\n\n',
  '**bold** ',
  '[x](https://example.com/a?b=c) ',
  '![y](z) ',
  '&amp; ',
  '| a | b |\n|---|---|\n',
  '```\ncode\n```\n',
)
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 60 }).map(parts => parts.join('')),
  fc.string({ unit: 'binary' }).map(text => text.toWellFormed()),
)

describe('the edits between two texts', () => {
  it('turn any text into any other', () => {
    fc.assert(
      fc.property(texts, texts, (from, to) => {
        expect(again(from, to)).toBe(to)
      }),
      { numRuns: 1000 },
    )
  })

  it('turn plain text into its Markdown', () => {
    fc.assert(
      fc.property(texts, markdown => {
        expect(again(plainText(markdown), markdown)).toBe(markdown)
      }),
      { numRuns: 1000 },
    )
  })

  it('take few bytes if the texts are nearly equal', () => {
    const sentence = 'Forty words of running text that stand in both of them, just as they are. '
    const markdown = Array.from({ length: 20 }, (_, i) => `## Part ${i}\n\n${sentence.repeat(5)}`).join('\n\n')
    expect(encodeEdits(plainText(markdown), markdown).length).toBeLessThan(markdown.length * 0.04)
    expect(encodeEdits(sentence, sentence).length).toBeLessThan(8)
    const linked = '[One](https://a.example/1), [two](https://a.example/2) and [three](https://a.example/3). '.repeat(
      30,
    )
    const marks = linked.length - plainText(linked).length
    expect(encodeEdits(plainText(linked), linked).length).toBeLessThan(marks * 1.6)
  })

  it('of long texts with nothing in common are computed quickly', () => {
    const from = 'abcdefgh'.repeat(100_000)
    const to = 'ijklmnop'.repeat(100_000)
    const alike = `${'ab'.repeat(200_000)}c`
    const ms = processorMs(() => {
      expect(again(from, to)).toBe(to)
      expect(again(alike, `x${'ba'.repeat(200_000)}`)).toBe(`x${'ba'.repeat(200_000)}`)
    })
    expect(ms).toBeLessThan(20_000)
  })

  it('are corrupt wherever they are cut', () => {
    const from = 'plain text of some length'
    const bytes = encodeEdits(from, '**plain** text of *some* length')
    for (let end = 0; end < bytes.length; end++)
      expect(() => applyEdits(pieced(from), new ByteReader(bytes.subarray(0, end))), String(end)).toThrow(corrupt)
  })

  it('are corrupt if they reach beyond the text that they apply to', () => {
    expect(() =>
      applyEdits(pieced('short'), new ByteReader(encodeEdits('longer than that', 'longer than that'))),
    ).toThrow(corrupt)
    expect(() => applyEdits(pieced('x'), new ByteReader(Uint8Array.of(255, 255, 255, 255, 15, 0)))).toThrow(corrupt)
  })
})
