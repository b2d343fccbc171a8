import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Tokenizer } from '../../../encoder/tokenizer/tokenizer.ts'
import { processorMs } from '../../processor-time.ts'

/** fixtures/make-unigram.py writes them. */
const folder = join(import.meta.dirname, '../fixtures/unigram')
const MOST = 40

interface Expected {
  texts: string[]
  ids: number[][]
  pair: number[]
}

interface TokenizerFile {
  normalizer: { type: string; normalizers: Record<string, unknown>[] }
  pre_tokenizer: Record<string, unknown>
  model: Record<string, unknown> & { vocab: [string, number][] }
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** Returns the tokenizer of the fixture with changes of its file. */
function changed(name: string, change: (file: TokenizerFile) => void): Tokenizer {
  const file = JSON.parse(read(`${name}.json`)) as TokenizerFile
  change(file)
  return new Tokenizer(Buffer.from(JSON.stringify(file)))
}

describe.each(['words', 'spaces'])('the tokenizer with Unigram, split at %s', name => {
  const tokenizer = changed(name, () => {})
  const { texts, ids, pair } = JSON.parse(read(`${name}.expected.json`)) as Expected

  it.each(texts.map((text, i) => [text, ids[i]]))('has the tokens of Hugging Face for %j', (text, expected) => {
    expect(tokenizer.encode(String(text), MOST).ids).toEqual(expected)
  })

  it('has the tokens of Hugging Face for a pair', () => {
    expect(tokenizer.encodePair(texts[0]!, texts[2]!, MOST).ids).toEqual(pair)
  })

  it('has valid tokens for any text, and the same when it is asked again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => {
        const { ids: first } = tokenizer.encode(text, 24)
        expect(first.length).toBeLessThanOrEqual(24)
        for (const id of first) expect(id).toBeLessThanOrEqual(tokenizer.largestId)
        expect(tokenizer.encode(text, 24).ids).toEqual(first)
      }),
    )
  })

  it.each(['a', ' ', '\u0301', '▁', '<mask>', '각', '👩‍', '\ud800'])('needs little time for a million of %j', unit => {
    expect(processorMs(() => tokenizer.encode(unit.repeat(1_000_000), 512))).toBeLessThan(2000)
  })
})

describe('a tokenizer.json with Unigram', () => {
  const invalid = expect.objectContaining({ code: 'ASOF_MODEL_INVALID' })
  const table = (bytes: Buffer) => (file: TokenizerFile) => {
    file.normalizer.normalizers[0]!.precompiled_charsmap = bytes.toString('base64')
  }
  /** A trie of one unit, and a text. */
  const withText = (text: string) => Buffer.concat([Buffer.from([4, 0, 0, 0, 0, 0, 0, 0]), Buffer.from(text)])

  it.each<[string, (file: TokenizerFile) => void]>([
    ['a vocabulary without scores', file => Object.assign(file.model, { vocab: ['a', 'b'] })],
    ['a score that is no number', file => Object.assign(file.model, { vocab: [['a', null]] })],
    ['no token of unknown words', file => Object.assign(file.model, { unk_id: 10_000 })],
    ['pieces of bytes', file => Object.assign(file.model, { byte_fallback: true })],
    ['a piece that is far too long', file => file.model.vocab.push(['x'.repeat(129), -1])],
    ['marks only before the first word', file => Object.assign(file.pre_tokenizer, { prepend_scheme: 'first' })],
    ['a table that is cut off', table(Buffer.from([4, 0, 0]))],
    ['a table that is longer than it is', table(Buffer.from([255, 0, 0, 0, 1]))],
    ['a table whose texts are far too long', table(withText('x'.repeat(129)))],
    [
      'a replacement that makes texts longer',
      file => Object.assign(file.normalizer.normalizers[1]!, { content: '   ' }),
    ],
    [
      'a replacement of nothing',
      file => Object.assign(file.normalizer.normalizers[1]!, { pattern: { String: '' }, content: '' }),
    ],
  ])('is refused with %s', (_, change) => {
    expect(() => changed('spaces', change)).toThrow(invalid)
  })

  it('never reads beyond a damaged table', () => {
    const { normalizer } = JSON.parse(read('spaces.json')) as TokenizerFile
    const whole = Buffer.from(String(normalizer.normalizers[0]?.precompiled_charsmap), 'base64')
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.string({ unit: 'binary' }), (at, byte, text) => {
        const damaged = Buffer.from(whole)
        damaged[at] = byte
        try {
          expect(changed('spaces', table(damaged)).encode(text, MOST).ids.length).toBeLessThanOrEqual(MOST)
        } catch (error) {
          expect(error).toEqual(invalid)
        }
      }),
    )
  })
})
