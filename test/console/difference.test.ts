import { describe, expect, it } from 'vitest'
import { differenceOf, isSame, type Piece } from '../../console/page/difference.ts'

const changed = (pieces: Piece[] | undefined) =>
  pieces?.filter(({ kind }) => kind === 'changed').map(({ text }) => text)

describe('the difference of two versions', () => {
  it('marks the words that changed within a line', () => {
    const { blocks, addedLines, removedLines } = differenceOf('A ferry at seven.\nSame.', 'A ferry at eight.\nSame.')
    const [block] = blocks
    if (block?.kind !== 'rows') throw new Error('the first block has rows')
    expect([changed(block.rows[0]!.before), changed(block.rows[0]!.after)]).toEqual([['seven'], ['eight']])
    expect(isSame(block.rows[1]!)).toBe(true)
    expect([addedLines, removedLines]).toEqual([1, 1])
  })

  it('leaves out equal lines that are far from a change, and counts them', () => {
    const lines = Array.from({ length: 40 }, (_, line) => `line ${line}`)
    const { blocks } = differenceOf(lines.join('\n'), [...lines.slice(0, 20), 'new', ...lines.slice(20)].join('\n'))
    expect(blocks.map(block => (block.kind === 'skipped' ? block.lines : block.rows.length))).toEqual([18, 5, 18])
  })

  it('has no change for equal texts, and only additions for an empty first one', () => {
    expect(differenceOf('one\ntwo', 'one\ntwo\n')).toMatchObject({ addedLines: 0, removedLines: 0 })
    expect(differenceOf('', 'one\ntwo')).toMatchObject({ addedLines: 2, removedLines: 0 })
  })
})
