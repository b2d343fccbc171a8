import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { encodeBody, encodedParts } from '../../../../core/store/records/documents.ts'
import { PageText } from '../../../../core/store/records/page-text.ts'

function textOf(text: string): { page: PageText; read: number[] } {
  const writer = new ByteWriter(64)
  encodeBody({ details: {}, markdown: text, text }, writer)
  const parts = encodedParts(writer.finish())
  const read: number[] = []
  const piece = (index: number): Uint8Array => {
    read.push(index)
    return parts.piece(index)
  }
  return { page: new PageText({ ...parts, piece }), read }
}

function whole(page: PageText): string {
  return Array.from({ length: page.count }, (_, index) => page.piece(index)).join('')
}

describe('the text of a page', () => {
  it('is decoded once if it is in one piece, and its words are known', () => {
    const { page, read } = textOf('The Rhine flows through Köln.')
    expect(whole(page)).toBe('The Rhine flows through Köln.')
    expect(whole(page)).toBe('The Rhine flows through Köln.')
    expect(page.counts).toMatchObject({ units: [29], words: [5], hasSpelledOut: true })
    expect(read).toEqual([0])
  })

  it('is read piece by piece if it is long, and its body has the number of words of each', () => {
    const text = 'words of a long text '.repeat(10_000)
    const { page, read } = textOf(text)
    expect(page.count).toBeGreaterThan(3)
    expect(text.startsWith(page.piece(0))).toBe(true)
    expect(page.piece(2).length).toBeGreaterThan(60_000)
    expect(read).toEqual([0, 2])
    const pieces = Array.from({ length: page.count }, (_, index) => page.read(index))
    expect(pieces.map(piece => piece.text).join('')).toBe(text)
    expect(page.counts).toEqual({
      units: pieces.map(piece => piece.text.length),
      words: pieces.map(piece => piece.words!.count),
      hasSpelledOut: false,
    })
    expect(textOf(`${text}Müller`).page.counts?.hasSpelledOut).toBe(true)
  })

  it('has no words to count in a script without spaces, or if pieces may end inside words', () => {
    for (const text of ['川の流れ', `${'words '.repeat(20_000)}川`, 'x'.repeat(100_000)])
      expect(textOf(text).page.counts).toBeUndefined()
  })

  it('takes more memory the longer it is, and with other letters than ASCII', () => {
    const [short, long, umlauts] = ['a', 'a'.repeat(1000), 'ä'.repeat(1000)].map(text => textOf(text).page.bytes)
    expect(long! - short!).toBeGreaterThanOrEqual(999)
    expect(umlauts! - short!).toBeGreaterThanOrEqual(1999)
  })

  it('can be empty', () => {
    expect(textOf('').page.count).toBe(0)
  })
})
