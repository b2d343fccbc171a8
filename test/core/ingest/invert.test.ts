import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AnalyzedGroup, GroupBuilder, TITLE_GAP } from '../../../core/ingest/analyzed-group.ts'
import { type Analyzed, invert } from '../../../core/ingest/invert.ts'
import { createColumns } from '../../../core/segment/columns.ts'
import { decodePositions } from '../../../core/segment/positions-codec.ts'
import { rankingModel } from '../../../core/segment/ranking-model.ts'
import { Segment } from '../../../core/segment/segment.ts'
import { SegmentWriter } from '../../../core/segment/segment-writer.ts'
import { SAMPLE_EVERY } from '../../../core/store/documents.ts'
import { TokenBuffer, tokenize } from '../../../core/text/tokens.ts'
import { MemoryChunks } from '../segment/memory-chunks.ts'
import { type NaiveIndex, newCache, readBack } from '../segment/naive-index.ts'

interface Text {
  url: string
  title: string
  text: string
}

const words = fc.constantFrom('river', 'rivers', 'Stone', 'é', '東京都', '𠮷野', 'x1', '—', 'a', '\n', 'the')
const phrase = (maxLength: number) => fc.array(words, { maxLength }).map(list => list.join(' '))
const texts: fc.Arbitrary<Text> = fc.record({
  url: fc.constantFrom('https://a.example.com/', 'http://10.0.0.1/x', 'file:///tmp/x', 'https://example.org/'),
  title: phrase(4),
  text: fc.oneof(phrase(8), phrase(300)),
})

function tokensOf({ title, text }: Text): { term: string; position: number; start: number; inTitle: boolean }[] {
  const tokens = new TokenBuffer()
  const titleEnd = tokenize(title, tokens)
  const inTitle = tokens.count
  tokenize(text, tokens, titleEnd + TITLE_GAP)
  return Array.from({ length: tokens.count }, (_, i) => ({
    term: tokens.terms[i],
    position: tokens.positions[i],
    start: tokens.starts[i],
    inTitle: i < inTitle,
  }))
}

const hostTerms: Record<string, string[]> = {
  'https://a.example.com/': ['@a.example.com', '@example.com', '@com'],
  'http://10.0.0.1/x': ['@10.0.0.1'],
  'file:///tmp/x': [],
  'https://example.org/': ['@example.org', '@org'],
}

/** Term → frequency and positions of one text. */
function naivePostings(text: Text): Map<string, { frequency: number; positions: number[] }> {
  const postings = new Map<string, { frequency: number; positions: number[] }>()
  for (const { term, position, inTitle } of tokensOf(text)) {
    const posting = postings.get(term) ?? { frequency: 0, positions: [] }
    posting.frequency += inTitle ? rankingModel.titleWeight : 1
    posting.positions.push(position)
    postings.set(term, posting)
  }
  for (const host of hostTerms[text.url] ?? []) postings.set(host, { frequency: 1, positions: [] })
  return postings
}

function groupOf(list: readonly Text[]): AnalyzedGroup {
  const builder = new GroupBuilder()
  for (const text of list)
    builder.add(
      { url: text.url, aliases: [], title: text.title, details: {}, markdown: text.text, fingerprint: '' },
      text,
    )
  return builder.finish()
}

/** The postings of each capture of a group, read from its flat buffers. */
function readGroup(group: AnalyzedGroup): Map<string, { frequency: number; positions: number[] }>[] {
  const found = group.captures.map(() => new Map<string, { frequency: number; positions: number[] }>())
  if (group.postingEnds.length === 0) return found
  const terms = group.terms.split('\n')
  expect(terms).toEqual([...new Set(terms)].sort())
  let posting = 0
  let at = 0
  for (const [t, term] of terms.entries())
    for (; posting < group.postingEnds[t]; posting++) {
      const end = at + group.positionLengths[posting]
      const { count, values } = decodePositions(group.positions.subarray(at, end), {
        count: 0,
        values: new Uint32Array(1),
      })
      found[group.captureIndexes[posting]].set(term, {
        frequency: group.frequencies[posting],
        positions: Array.from(values.subarray(0, count)),
      })
      at = end
    }
  return found
}

describe('an analysed group', () => {
  it('holds the weighted frequencies and positions of every word of its captures', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 8 }), list => {
        expect(readGroup(groupOf(list))).toEqual(list.map(naivePostings))
      }),
      { numRuns: 50 },
    )
  })

  it('counts a title word as often as the ranking model says', () => {
    fc.assert(
      fc.property(texts, text => {
        const [capture] = groupOf([text]).captures
        const tokens = tokensOf(text)
        const inTitle = tokens.filter(token => token.inTitle).length
        expect(capture.length).toBe(tokens.length + inTitle * (rankingModel.titleWeight - 1))
      }),
      { numRuns: 50 },
    )
  })

  it('samples the first word at or after every so many positions of the body', () => {
    fc.assert(
      fc.property(texts, text => {
        const [{ samples, titlePositions }] = groupOf([text]).captures
        const start = titlePositions + TITLE_GAP
        const body = tokensOf(text).filter(token => !token.inTitle)
        const expected: number[] = []
        const last = body.at(-1)?.position ?? -1
        let taken = -1
        for (let due = start; due <= last; due += SAMPLE_EVERY) {
          const token = body.find(({ position }) => position >= due)
          if (!token || token.position === taken) continue
          taken = token.position
          expected.push(token.position, token.start)
        }
        expect([...samples]).toEqual(expected)
      }),
      { numRuns: 50 },
    )
  })

  it('does not depend on what other groups are gathered at the same time', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 2, maxLength: 8 }), list => {
        const builders = [new GroupBuilder(), new GroupBuilder()]
        for (const [i, text] of list.entries())
          builders[i % 2].add(
            { url: text.url, aliases: [], title: text.title, details: {}, markdown: text.text, fingerprint: '' },
            text,
          )
        for (const [b, builder] of builders.entries())
          expect(readGroup(builder.finish())).toEqual(list.filter((_, i) => i % 2 === b).map(naivePostings))
      }),
      { numRuns: 30 },
    )
  })

  it('grows with the number of its terms', () => {
    const list = Array.from({ length: 3 }, (_, t) => ({
      url: 'file:///x',
      title: '',
      text: Array.from({ length: 3000 }, (_, i) => `w${t * 1500 + i}`).join(' '),
    }))
    expect(readGroup(groupOf(list))).toEqual(list.map(naivePostings))
  })
})

describe('inverting', () => {
  it('captures of several groups, in any order, gives the inverted index of them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(texts, { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        (lists, seed) => {
          const analyzed = lists.flatMap(list => {
            const group = groupOf(list)
            return list.map((text, i): { text: Text; of: Analyzed } => ({
              text,
              of: { group, capture: group.captures[i] },
            }))
          })
          if (analyzed.length === 0) return
          const order = analyzed.map((_, i) => analyzed[(i * 31 + seed) % analyzed.length])
          const ordered = new Set(order).size === analyzed.length ? order : analyzed
          const columns = createColumns(ordered.length)
          for (const [i, { of }] of ordered.entries()) columns.lengths[i] = of.capture.length
          const chunks = new MemoryChunks()
          const writer = new SegmentWriter(chunks, columns)
          invert(
            ordered.map(({ of }) => of),
            writer,
          )
          const expected: NaiveIndex = new Map()
          for (const [ordinal, { text }] of ordered.entries())
            for (const [term, posting] of naivePostings(text))
              expected.set(term, [...(expected.get(term) ?? []), { ordinal, ...posting }])
          expect(readBack(Segment.open(writer.finish(1), chunks, newCache()))).toEqual(expected)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('a capture that is written twice gives its postings to both ordinals', () => {
    const group = groupOf([
      { url: 'file:///a', title: '', text: 'once again' },
      { url: 'file:///b', title: '', text: 'once' },
    ])
    const [again, once] = group.captures
    const columns = createColumns(3)
    const chunks = new MemoryChunks()
    const writer = new SegmentWriter(chunks, columns)
    invert(
      [again, once, again].map(capture => ({ group, capture })),
      writer,
    )
    const index = readBack(Segment.open(writer.finish(1), chunks, newCache()))
    expect(index.get('onc')?.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2])
    expect(index.get('again')?.map(({ ordinal, positions }) => [ordinal, positions])).toEqual([
      [0, [TITLE_GAP + 1]],
      [2, [TITLE_GAP + 1]],
    ])
  })

  it('leaves out what a capture that is not taken held', () => {
    const group = groupOf([
      { url: 'file:///a', title: '', text: 'left out' },
      { url: 'file:///b', title: '', text: 'taken' },
    ])
    const chunks = new MemoryChunks()
    const writer = new SegmentWriter(chunks, createColumns(1))
    invert([{ group, capture: group.captures[1] }], writer)
    const index = readBack(Segment.open(writer.finish(1), chunks, newCache()))
    expect([...index.keys()]).toEqual(['taken'])
  })
})
