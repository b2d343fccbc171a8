import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { zipEntries } from '../../../encoder/files/zip.ts'
import { ForwardPass } from '../../../encoder/forward/forward-pass.ts'
import { loadModel } from '../../../encoder/model/load-model.ts'
import { Tokenizer } from '../../../encoder/tokenizer/tokenizer.ts'
import { isAsofError } from '../../../extract/errors/errors.ts'
import { Fixture, type FixtureName } from '../fixture.ts'
import { bertAsOnnx } from '../quantized-bert.ts'

const folder = mkdtempSync(join(tmpdir(), 'asof-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const invalid = expect.objectContaining({ code: 'ASOF_MODEL_INVALID' })

/** Loads the model of the folder and embeds a text with it. Returns the code of a refusal. */
function outcome(): string {
  try {
    const { model, memory, tokenizer } = loadModel({ path: folder, maxTokens: 16, threads: 1, use: {} })
    const tokens = new Tokenizer(tokenizer.slice()).encode('the cat sat on the mat', 16)
    const vector = new ForwardPass(model, memory, 0).embed(tokens, 'mean')
    expect(vector.every(Number.isFinite)).toBe(true)
    return 'embedded'
  } catch (thrown) {
    if (!isAsofError(thrown)) throw thrown
    return thrown.code
  }
}

function place(name: FixtureName): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  cpSync(new Fixture(name).folder, folder, { recursive: true })
}

/** A file with some bytes changed, or cut. */
const damage = fc.record({
  changes: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
  isCut: fc.boolean(),
})

function damaged(
  file: Buffer,
  { changes, isCut }: { changes: [number, number][]; isCut: boolean },
  within: number,
): Buffer {
  const copy = Buffer.from(file)
  for (const [at, byte] of changes) copy[at % within] = byte
  return isCut ? copy.subarray(0, (changes[0]?.[0] ?? 0) % copy.length) : copy
}

const outcomes = ['embedded', 'ASOF_MODEL_INVALID', 'ASOF_MODEL_FAILED', 'ASOF_INVALID_OPTION']

describe.each(['bert', 'modernbert'] as const)('a damaged file of %s', name => {
  beforeEach(() => place(name))

  it.each(['config.json', 'tokenizer.json', 'model.safetensors'] as const)(
    '%s is refused, or makes finite vectors',
    file => {
      const whole = new Fixture(name).read(file)
      // Most bytes of the weights are numbers; what decides is the header.
      const within = file === 'model.safetensors' ? 3000 : whole.length
      fc.assert(
        fc.property(damage, change => {
          writeFileSync(join(folder, file), damaged(whole, change, within))
          expect(outcomes).toContain(outcome())
        }),
      )
    },
  )

  it.each(['config.json', 'tokenizer.json', 'model.safetensors'])('%s that is missing is named', file => {
    rmSync(join(folder, file))
    const load = () => loadModel({ path: folder, maxTokens: 16, threads: 1, use: {} })
    expect(load).toThrow(invalid)
    expect(load).toThrow(file === 'model.safetensors' ? /model[.]onnx/ : file)
  })
})

it('a damaged ONNX file is refused, or makes finite vectors', () => {
  place('bert')
  rmSync(join(folder, 'model.safetensors'))
  const whole = bertAsOnnx()
  writeFileSync(join(folder, 'model.onnx'), whole)
  expect(outcome()).toBe('embedded')
  fc.assert(
    fc.property(damage, change => {
      writeFileSync(join(folder, 'model.onnx'), damaged(whole, change, whole.length))
      expect(outcomes).toContain(outcome())
    }),
  )
})

describe('a safetensors file', () => {
  const withHeader = (header: string, length = BigInt(Buffer.byteLength(header))) => {
    const size = Buffer.alloc(8)
    size.writeBigUInt64LE(length)
    return Buffer.concat([size, Buffer.from(header), Buffer.alloc(64)])
  }
  const tensor = (fields: object) =>
    withHeader(
      JSON.stringify({
        'embeddings.word_embeddings.weight': { dtype: 'F32', shape: [2, 8], data_offsets: [0, 64], ...fields },
      }),
    )

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a header longer than the file', withHeader('{}', 2n ** 63n)],
    ['a header that is not JSON', withHeader('{')],
    ['a header that is a list', withHeader('[]')],
    ['offsets beyond its data', tensor({ data_offsets: [64, 128] })],
    ['offsets before its data', tensor({ data_offsets: [-64, 0] })],
    ['a shape that does not fit its data', tensor({ shape: [2 ** 40, 2 ** 40] })],
    ['a shape that is no list of sizes', tensor({ shape: ['2', 8] })],
    ['integers for weights', tensor({ dtype: 'I64' })],
    ['another shape than the model', tensor({})],
  ])('is refused if it has %s', (_, file) => {
    place('bert')
    writeFileSync(join(folder, 'model.safetensors'), file)
    expect(outcome()).toBe('ASOF_MODEL_INVALID')
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('is refused if a weight is %d', value => {
    place('bert-classifier')
    const file = new Fixture('bert-classifier').read('model.safetensors')
    file.writeFloatLE(value, file.length - 4)
    writeFileSync(join(folder, 'model.safetensors'), file)
    expect(outcome()).toBe('ASOF_MODEL_INVALID')
  })
})

describe('a config.json', () => {
  it.each([
    ['another architecture', { model_type: 'roberta' }],
    ['another activation', { hidden_act: 'relu' }],
    ['relative positions', { position_embedding_type: 'relative_key' }],
    ['sizes that are no multiples of 8', { num_attention_heads: 3 }],
    ['a huge vocabulary', { vocab_size: 2 ** 31 }],
    ['more layers than the weights', { num_hidden_layers: 3 }],
    ['a vocabulary that is smaller than that of the tokenizer', { vocab_size: 100 }],
  ])('is refused with %s', (_, change) => {
    place('bert')
    const config = JSON.parse(new Fixture('bert').read('config.json').toString()) as object
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, ...change }))
    expect(outcome()).toBe('ASOF_MODEL_INVALID')
  })

  it('is an error of the option if the model reads fewer tokens than asked', () => {
    place('bert')
    expect(() => loadModel({ path: folder, maxTokens: 65, threads: 1, use: {} })).toThrow(
      expect.objectContaining({ code: 'ASOF_INVALID_OPTION' }),
    )
  })
})

describe('a tokenizer.json', () => {
  /** A special token, or a text. */
  const special = { SpecialToken: { id: '[CLS]', type_id: 0 } }
  const text = { Sequence: { id: 'A', type_id: 0 } }
  const second = { Sequence: { id: 'B', type_id: 1 } }
  const added = (content: string, normalized = false) => ({ id: 1, content, normalized })
  const template = (change: object) => ({ post_processor: change })
  const specialIds = (...ids: unknown[]) => template({ special_tokens: { '[CLS]': { ids }, '[SEP]': { ids } } })
  const nested = (depth: number): object =>
    depth === 0 ? { type: 'Lowercase' } : { type: 'Sequence', normalizers: [nested(depth - 1)] }

  it.each<[string, object]>([
    ['a special token below 0', specialIds(-5)],
    ['a special token that is no integer', specialIds(0.5)],
    ['a special token beyond the vocabulary', specialIds(2 ** 20)],
    ['a template without a text', template({ single: [special] })],
    ['a template with a text twice', template({ single: [text, text] })],
    ['a template of one text with the second', template({ single: [second] })],
    ['a template of two texts with one', template({ pair: [text, special] })],
    ['a template with more special tokens than fit', template({ single: [text, ...Array(8).fill(special)] })],
    ['sequences in sequences without end', { normalizer: nested(500) }],
    ['an added token that is empty', { added_tokens: [added('')] }],
    [
      'an added token that is empty once it is normalized',
      { normalizer: { type: 'StripAccents' }, added_tokens: [added('\u0301', true)] },
    ],
    ['too many added tokens', { added_tokens: Array.from({ length: 10_001 }, (_, i) => added(`a${i}`)) }],
  ])('is refused with %s', (_, change) => {
    place('bert')
    const tokenizer = JSON.parse(new Fixture('bert').read('tokenizer.json').toString()) as { post_processor: object }
    const changed: Partial<typeof tokenizer> = { ...tokenizer, ...change }
    changed.post_processor = { ...tokenizer.post_processor, ...changed.post_processor }
    writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(changed))
    expect(outcome()).toBe('ASOF_MODEL_INVALID')
  })
})

describe('a file of a model', () => {
  it.each(['config.json', 'tokenizer.json', 'model.safetensors'])('%s that is no file is refused', name => {
    const file = join(folder, name)
    for (const make of [() => mkdirSync(file), () => symlinkSync(name, file), () => execFileSync('mkfifo', [file])]) {
      place('bert')
      rmSync(file)
      make()
      expect(outcome()).toBe('ASOF_MODEL_INVALID')
    }
  })

  it('is read from a folder with the name of an archive', () => {
    const named = join(folder, 'model.zip')
    place('bert')
    cpSync(new Fixture('bert').folder, named, { recursive: true })
    expect(loadModel({ path: named, maxTokens: 16, threads: 1, use: {} }).use.name).toBe('model.zip')
  })
})

describe('an archive', () => {
  const text = new Uint8Array(5000).fill(97)
  const archive = Buffer.from(
    zipSync({ 'folder/a.txt': [text, { level: 6 }], b: [text, { level: 0 }], empty: [new Uint8Array(), { level: 0 }] }),
  )

  it('is unpacked', () => {
    expect(zipEntries(archive).map(({ name, read }) => [name, Buffer.from(read()).equals(Buffer.from(text))])).toEqual([
      ['folder/a.txt', true],
      ['b', true],
      ['empty', false],
    ])
  })

  it('is refused if a file would be larger than those of known models', () => {
    const bomb = Buffer.from(zipSync({ bomb: [new Uint8Array(128 * 1024 * 1024 + 1), { level: 1 }] }))
    expect(bomb.length).toBeLessThan(2 * 1024 * 1024)
    for (const { read } of zipEntries(bomb)) expect(read).toThrow(invalid)
  })

  it('is refused or unpacked if it is damaged, within the sizes that it states', () => {
    fc.assert(
      fc.property(damage, change => {
        try {
          for (const { read } of zipEntries(damaged(archive, change, archive.length))) read()
        } catch (thrown) {
          expect(thrown).toEqual(invalid)
        }
      }),
    )
  })

  it('is refused if its files are not those that were published under their names', () => {
    const file = join(folder, 'minilm.jar')
    const tokenizer = new Fixture('bert').read('tokenizer.json')
    const entries = { 'all-minilm-l6-v2-q.onnx': bertAsOnnx(), 'all-minilm-l6-v2-q-tokenizer.json': tokenizer }
    writeFileSync(file, zipSync(entries))
    expect(() => loadModel({ path: file, maxTokens: 16, threads: 1, use: {} })).toThrow(/SHA-256 differs/)
  })

  it('is refused if it has no model that is known', () => {
    const file = join(folder, 'other.jar')
    writeFileSync(file, archive)
    expect(() => loadModel({ path: file, maxTokens: 16, threads: 1, use: {} })).toThrow(invalid)
  })
})
