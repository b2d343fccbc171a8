import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Tokenizer } from '../../../encoder/tokenizer/tokenizer.ts'
import { processorMs } from '../../processor-time.ts'
import { Fixture } from '../fixture.ts'

const pieces = new Fixture('bert')
const bytes = new Fixture('modernbert')

/** Returns the fixture's tokenizer with changes of its file. */
function changed(fixture: Fixture, changes: Record<string, unknown>): Tokenizer {
  const file = JSON.parse(fixture.read('tokenizer.json').toString()) as Record<string, unknown>
  return new Tokenizer(Buffer.from(JSON.stringify({ ...file, ...changes })))
}

describe.each([
  ['WordPiece', pieces],
  ['byte-level BPE', bytes],
])('the tokenizer with %s', (_, fixture) => {
  const { texts, ids, maxTokens } = fixture.expected()
  const tokenizer = new Tokenizer(fixture.read('tokenizer.json'))

  it.each(texts.map((text, i) => [text, ids[i]]))('has the tokens of Hugging Face for %j', (text, expected) => {
    expect(tokenizer.encode(String(text), maxTokens).ids).toEqual(expected)
  })

  it('ends a long text with the last special token', () => {
    const { ids: cut } = tokenizer.encode('the cat sat '.repeat(1000), 16)
    expect(cut).toHaveLength(16)
    expect(cut.at(-1)).toBe(tokenizer.encode('', 16).ids.at(-1))
  })

  it('has valid tokens for any text, and the same when it is asked again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => {
        const { ids: first, types } = tokenizer.encode(text, 24)
        expect(first.length).toBeLessThanOrEqual(24)
        expect(types).toEqual(first.map(() => 0))
        for (const id of first) expect(id).toBeLessThanOrEqual(tokenizer.largestId)
        expect(tokenizer.encode(text, 24).ids).toEqual(first)
      }),
    )
  })

  it.each([
    ['a letter', 'a'],
    ['white space', ' '],
    ['a sign', '('],
    ['an accent', '\u0301'],
    ['a special token', '[SEP]'],
    ['an added token', '<mask>'],
    ['white space before a token', '\n\n '],
    ['a letter of Hangul', '각'],
    ['a lone surrogate', '\ud800'],
  ])('needs little time for a million of %s', (_name, unit) => {
    expect(processorMs(() => tokenizer.encode(unit.repeat(1_000_000), 512))).toBeLessThan(2000)
  })
})

describe.each([
  ['WordPiece', new Fixture('bert-classifier')],
  ['byte-level BPE', new Fixture('modernbert-classifier')],
])('pairs of texts with %s', (_, fixture) => {
  const { pairs, pairIds, pairTypes, maxTokens } = fixture.expected()
  const tokenizer = new Tokenizer(fixture.read('tokenizer.json'))

  it('have the tokens of Hugging Face, the longer text cut first', () => {
    expect(pairs.map(([first, second]) => tokenizer.encodePair(first, second, maxTokens))).toEqual(
      pairIds.map((ids, i) => ({ ids, types: pairTypes[i] })),
    )
  })

  it('keep at least the special tokens', () => {
    expect(tokenizer.encodePair('the cat', 'sat on', 3).ids).toHaveLength(3)
  })
})

describe('the characters of BERT', () => {
  it('are split, removed and kept as Hugging Face does, in the first two planes', () => {
    const tokenizer = new Tokenizer(pieces.read('tokenizer.json'))
    const hash = createHash('sha256')
    for (let code = 0; code < 0x20000; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const character = String.fromCodePoint(code)
      hash.update(`${tokenizer.encode(`a${character}b ${character}`, 64).ids.join(' ')}\n`)
    }
    const expected = readFileSync(join(import.meta.dirname, '../fixtures/characters.sha256'), 'utf8').trim()
    expect(hash.digest('hex')).toBe(expected)
  })

  it('make a word of over 100 characters unknown', () => {
    const tokenizer = new Tokenizer(pieces.read('tokenizer.json'))
    const [, unknown] = tokenizer.encode('x'.repeat(101), 8).ids
    expect(tokenizer.encode('x'.repeat(101), 300).ids).toHaveLength(3)
    expect(tokenizer.encode('a'.repeat(100), 300).ids).not.toContain(unknown)
    expect(tokenizer.encode('𝐀'.repeat(101), 300).ids).toEqual(tokenizer.encode('x'.repeat(101), 300).ids)
  })
})

describe('a tokenizer.json', () => {
  it.each([
    ['a normalizer', { normalizer: { type: 'Nmt' } }],
    ['a pre_tokenizer', { pre_tokenizer: { type: 'Whitespace' } }],
    ['the pre_tokenizer of another model', { pre_tokenizer: { type: 'Metaspace' } }],
    ['a model', { model: { type: 'WordLevel', vocab: {} } }],
    ['a post_processor', { post_processor: { type: 'ByteLevel' } }],
    ['a vocabulary without the unknown token', { model: { type: 'WordPiece', unk_token: '?', vocab: { a: 0 } } }],
    ['an id that is no integer', { model: { type: 'WordPiece', vocab: { '[UNK]': 0.5 } } }],
    ['a merge of missing tokens', { model: { type: 'BPE', vocab: {}, merges: ['a b'] } }],
    ['an added token that must be a word', { added_tokens: [{ id: 1, content: 'a', single_word: true }] }],
  ])('is refused with %s that is not supported', (_, changes) => {
    expect(() => changed(bytes, changes)).toThrow(expect.objectContaining({ code: 'ASOF_MODEL_INVALID' }))
  })

  it('may put a space before each text', () => {
    const pre_tokenizer = { type: 'ByteLevel', add_prefix_space: true }
    const plain = new Tokenizer(bytes.read('tokenizer.json'))
    const spaced = changed(bytes, { pre_tokenizer })
    expect(spaced.encode('cat', 16)).toEqual(plain.encode(' cat', 16))
    expect(spaced.encode(' cat', 16)).toEqual(plain.encode(' cat', 16))
  })
})
