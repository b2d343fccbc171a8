import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader } from '../../../core/bytes/byte-buffer.ts'
import type { AnalyzedGroup } from '../../../core/ingest/analyzed-group.ts'
import { buildSegment } from '../../../core/ingest/build-segment.ts'
import { GroupBuilder } from '../../../core/ingest/group-builder.ts'
import { createColumns } from '../../../core/segment/columns/columns.ts'
import { ANYTHING } from '../../../core/segment/positions/next-word-signature.ts'
import { positionOf, TITLE_GAP } from '../../../core/segment/positions/place.ts'
import { decodePositions } from '../../../core/segment/positions/positions-codec.ts'
import { rankingModel } from '../../../core/segment/ranking-model.ts'
import { Segment } from '../../../core/segment/segment.ts'
import { detectLanguage } from '../../../core/text/languages/language-detection.ts'
import { PageTerms } from '../../../core/text/terms/page-terms.ts'
import { queryTerms } from '../../../core/text/terms/query-terms.ts'
import { termInterner } from '../../../core/text/terms/term-interner.ts'
import { TokenBuffer, tokenize } from '../../../core/text/terms/tokens.ts'
import { MemoryChunks } from '../segment/memory-chunks.ts'
import { type NaiveIndex, naiveSignatures, newCache, readBack } from '../segment/naive-index.ts'

interface Text {
  url: string
  title: string
  text: string
  author?: string
}

const words = fc.constantFrom('river', 'rivers', 'Stone', 'é', '東京都', '𠮷野', 'x1', '—', 'a', '\n', 'the')
const phrase = (maxLength: number) => fc.array(words, { maxLength }).map(list => list.join(' '))
const texts: fc.Arbitrary<Text> = fc.record({
  url: fc.constantFrom('https://a.example.com/a/b/a', 'http://10.0.0.1/x', 'file:///tmp/x', 'https://example.org/'),
  title: phrase(4),
  text: fc.oneof(phrase(8), phrase(300)),
  author: phrase(3),
})

const DECLARED = 'en-GB'

function languageOf({ title, text }: Pick<Text, 'title' | 'text'>): string {
  return detectLanguage(title, text, DECLARED)
}

function languageTerms(text: Text): string[] {
  const language = languageOf(text)
  return language === '' ? [] : [`:lang=${language}`]
}

/** All terms of a page. */
function tokensOf({
  title,
  text,
}: Pick<Text, 'title' | 'text'>): { term: string; position: number; start: number; inTitle: boolean }[] {
  const tokens = new TokenBuffer()
  const titleEnd = tokenize(title, tokens)
  const inTitle = tokens.count
  tokenize(text, tokens, titleEnd + TITLE_GAP)
  const terms = new PageTerms()
  const language = languageOf({ title, text })
  terms.extend(title, tokens, 0, inTitle, language)
  const titleTerms = terms.count
  terms.extend(text, tokens, inTitle, tokens.count, language)
  return Array.from({ length: terms.count }, (_, i) => ({
    term: terms.term(i),
    position: terms.positions[i]!,
    start: terms.starts[i]!,
    inTitle: i < titleTerms,
  }))
}

const hostTerms: Record<string, string[]> = {
  'https://a.example.com/a/b/a': ['@a.example.com', '@example.com', '@com'],
  'http://10.0.0.1/x': ['@10.0.0.1'],
  'file:///tmp/x': [],
  'https://example.org/': ['@example.org', '@org'],
}

interface NaivePosting {
  frequency: number
  positions: number[]
  signature: number
}

/** Term → its posting in one text. */
function naivePostings(text: Text): Map<string, NaivePosting> {
  const postings = new Map<string, NaivePosting>()
  for (const { term, position, inTitle } of tokensOf(text)) {
    const posting = postings.get(term) ?? { frequency: 0, positions: [], signature: ANYTHING }
    posting.frequency += inTitle ? rankingModel.titleWeight : 1
    posting.positions.push(position)
    postings.set(term, posting)
  }
  const standing = [...postings].map(([term, { positions }]) => [term, positions] as const)
  const signatureOf = naiveSignatures(standing)
  for (const posting of postings.values()) posting.signature = signatureOf(posting.frequency, posting.positions)
  for (const term of [...(hostTerms[text.url] ?? []), ':lang=en-gb', ':lang=en', ...languageTerms(text), ':type=other'])
    postings.set(term, { frequency: 1, positions: [], signature: ANYTHING })
  const fields = { url: text.url.slice(text.url.indexOf('//') + 2), author: text.author ?? '' }
  for (const [field, words] of Object.entries(fields))
    for (const { term, position } of queryTerms(words)) {
      const posting = postings.get(`:${field}=${term}`) ?? { frequency: 1, positions: [], signature: ANYTHING }
      posting.positions.push(position)
      postings.set(`:${field}=${term}`, posting)
    }
  return postings
}

function add(builder: GroupBuilder, { url, title, text, author = '' }: Text): void {
  builder.add(
    { url, aliases: [], title, fingerprint: '', metadata: '' },
    { details: { author, lang: DECLARED }, markdown: text, text },
  )
}

function groupOf(list: readonly Text[]): AnalyzedGroup {
  const builder = new GroupBuilder()
  for (const text of list) add(builder, text)
  return builder.finish()
}

/** The postings of each capture of a group, read from its flat buffers. */
function readGroup({ captures, postings: group }: AnalyzedGroup): ReturnType<typeof naivePostings>[] {
  const found = captures.map(() => new Map<string, NaivePosting>())
  const terms: string[] = []
  const reader = new ByteReader(group.postings)
  let start = 0
  for (const [t, end] of group.termEnds.entries()) {
    const term = Buffer.from(group.terms.subarray(start, end)).toString()
    start = end
    terms.push(term)
    let index = -1
    while (reader.at < group.postingEnds[t]!) {
      index += reader.varint() + 1
      const frequency = reader.varint() + 1
      const bytes = reader.raw(reader.varint())
      const positions = { count: 0, values: new Uint32Array(1) }
      if (bytes.length > 0) decodePositions(bytes, positions, 1)
      found[index]!.set(term, {
        frequency,
        positions: Array.from(positions.values.subarray(0, positions.count), positionOf),
        signature: bytes[0] ?? ANYTHING,
      })
    }
  }
  expect(terms).toEqual([...new Set(terms)].sort())
  expect([reader.done, group.captures]).toEqual([true, captures.length])
  return found
}

/** The segment of captures, given by group and index, in the order of ordinals. */
function segmentOf(
  groups: readonly AnalyzedGroup[],
  places: readonly (readonly [group: number, index: number])[],
): Segment {
  const columns = createColumns(places.length)
  for (const [i, [group, index]] of places.entries()) columns.lengths[i] = groups[group]!.captures[index]!.length
  const chunks = new MemoryChunks()
  const built = buildSegment({
    segment: 1,
    columns,
    groups: groups.map(({ postings }) => postings),
    groupOf: Uint32Array.from(places, ([group]) => group),
    indexOf: Uint32Array.from(places, ([, index]) => index),
  })
  for (const { stream, chunk, bytes } of built.chunks) chunks.put(stream, chunk, bytes)
  return Segment.open(built.info, chunks, newCache())
}

describe('an analyzed group', () => {
  it('holds the weighted frequencies and positions of every word of its captures', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 8 }), list => {
        expect(readGroup(groupOf(list))).toEqual(list.map(naivePostings))
      }),
      { numRuns: 50 },
    )
  })

  it('has the length of a capture with title words weighted as in the ranking model, and without terms added by the language', () => {
    fc.assert(
      fc.property(texts, text => {
        const capture = groupOf([text]).captures[0]!
        const count = (words: string): number => {
          const tokens = new TokenBuffer()
          tokenize(words, tokens)
          return tokens.count
        }
        expect(capture.length).toBe(count(text.text) + count(text.title) * rankingModel.titleWeight)
      }),
      { numRuns: 50 },
    )
  })

  it('does not depend on other groups that are built at the same time', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 2, maxLength: 8 }), list => {
        const builders = [new GroupBuilder(), new GroupBuilder()]
        for (const [i, text] of list.entries()) add(builders[i % 2]!, text)
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
  it('captures of several groups in any order gives their inverted index', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(texts, { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        (lists, seed) => {
          const groups = lists.map(groupOf)
          const places = lists.flatMap((list, group) => list.map((_, index) => [group, index] as const))
          if (places.length === 0) return
          const order = places.map((_, i) => places[(i * 31 + seed) % places.length]!)
          const ordered = new Set(order).size === places.length ? order : places
          const expected: NaiveIndex = new Map()
          for (const [ordinal, [group, index]] of ordered.entries())
            for (const [term, posting] of naivePostings(lists[group]![index]!))
              expected.set(term, [...(expected.get(term) ?? []), { ordinal, ...posting }])
          expect(readBack(segmentOf(groups, ordered))).toEqual(expected)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('a capture under two ordinals gives both of them its postings', () => {
    const group = groupOf([
      { url: 'file:///a', title: '', text: 'once again' },
      { url: 'file:///b', title: '', text: 'once' },
    ])
    const index = readBack(
      segmentOf(
        [group],
        [
          [0, 0],
          [0, 1],
          [0, 0],
        ],
      ),
    )
    expect(index.get('onc')?.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2])
    expect(index.get('again')?.map(({ ordinal, positions }) => [ordinal, positions])).toEqual([
      [0, [TITLE_GAP + 1]],
      [2, [TITLE_GAP + 1]],
    ])
  })

  it('a group works even if the term interner is cleared while the group is built', () => {
    const { generation } = termInterner
    const filler = Array.from({ length: 200_000 }, (_, i) => `w${i.toString(36)}`).join(' ')
    const group = groupOf(
      ['once w0', filler, 'once w1', 'once again'].map(text => ({ url: 'file:///a', title: '', text })),
    )
    expect(termInterner.generation).toBeGreaterThan(generation)
    const { dictionary } = segmentOf(
      [group],
      [0, 1, 2, 3].map(index => [0, index]),
    )
    expect(['onc', 'w0', 'w1', 'again'].map(term => dictionary.find(term)?.count)).toEqual([3, 2, 2, 1])
  })

  it('skips the postings of captures that are left out', () => {
    const group = groupOf([
      { url: 'file:///a', title: '', text: 'left out' },
      { url: 'file:///b', title: '', text: 'taken' },
    ])
    const terms = [':lang=en', ':lang=en-gb', ':type=other', ':url=b', 'taken']
    expect([...readBack(segmentOf([group], [[0, 1]])).keys()]).toEqual(terms)
  })
})
