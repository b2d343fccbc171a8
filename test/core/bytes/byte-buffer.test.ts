import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader, ByteWriter, expectVersion } from '../../../core/bytes/byte-buffer.ts'
import { release } from '../../../core/bytes/memory.ts'
import { damage, damaged, readDamaged } from '../segment/damage.ts'

const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })

const value = fc.oneof(
  fc.record({ kind: fc.constant('u8' as const), value: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ kind: fc.constant('u32' as const), value: fc.integer({ min: 0, max: 0xffff_ffff }) }),
  fc.record({
    kind: fc.constant('varint' as const),
    value: fc.oneof(
      fc.maxSafeNat(),
      fc.integer({ min: 0, max: 53 }).map(bits => 2 ** bits - 1),
      fc.integer({ min: 0, max: 52 }).map(bits => 2 ** bits),
    ),
  }),
  fc.record({ kind: fc.constant('f64' as const), value: fc.double() }),
  fc.record({
    kind: fc.constant('string' as const),
    value: fc.string({ unit: 'binary' }).map(text => text.toWellFormed()),
  }),
)

function written(values: readonly { kind: string; value: number | string }[]): Uint8Array {
  const writer = new ByteWriter(1)
  for (const { kind, value } of values) {
    if (kind === 'string') writer.string(value as string)
    else writer[kind as 'u8' | 'u32' | 'varint' | 'f64'](value as number)
  }
  return writer.finish()
}

function read(bytes: Uint8Array, kinds: readonly string[]): (number | string)[] {
  const reader = new ByteReader(bytes)
  return kinds.map(kind => reader[kind as 'u8' | 'u32' | 'varint' | 'f64' | 'string']())
}

describe('the byte codec', () => {
  it('reads back numbers and texts in the order written', () => {
    fc.assert(
      fc.property(fc.array(value), values => {
        const kinds = values.map(({ kind }) => kind)
        expect(read(written(values), kinds)).toEqual(values.map(({ value }) => value))
      }),
    )
  })

  it('keeps a byte order mark at the beginning of a text', () => {
    const writer = new ByteWriter()
    writer.string('\ufefftext')
    expect(new ByteReader(writer.finish()).string()).toBe('\ufefftext')
  })

  it('is corrupt wherever a value is cut', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), fc.nat(), (values, seed) => {
        const bytes = written(values)
        const cut = bytes.subarray(0, seed % bytes.length)
        expect(() =>
          read(
            cut,
            values.map(({ kind }) => kind),
          ),
        ).toThrow(corrupt)
      }),
    )
  })

  it('fails only as corrupt on damaged bytes', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), damage, (values, done) => {
        const kinds = values.map(({ kind }) => kind)
        readDamaged(() => read(damaged(written(values), done), kinds))
      }),
    )
  })

  it('rejects a varint that never ends, a text that is not UTF-8 and a length beyond the end', () => {
    expect(() => new ByteReader(new Uint8Array(20).fill(255)).varint()).toThrow(corrupt)
    expect(() => new ByteReader(Uint8Array.of(2, 0xc3, 0x28)).string()).toThrow(corrupt)
    expect(() => new ByteReader(Uint8Array.of(200, 1, 65)).string()).toThrow(corrupt)
  })

  it('pads with zeros', () => {
    const writer = new ByteWriter(1)
    writer.u8(9)
    writer.align(4)
    writer.align(4)
    expect(writer.finish()).toEqual(Uint8Array.of(9, 0, 0, 0))
  })

  it('begins again with as much room as requested, or as it had', () => {
    const writer = new ByteWriter(16)
    writer.u32(1)
    const before = writer.bytes
    writer.clear(10)
    expect([writer.length, writer.bytes]).toEqual([0, before])
    writer.clear(100_000)
    expect([writer.length, writer.bytes.length]).toEqual([0, 100_000])
  })

  it('distinguishes a newer version from a damaged one', () => {
    const found = (version: number) => () => expectVersion(new ByteReader(Uint8Array.of(version)), 3, 'a value')
    expect(found(3)).not.toThrow()
    expect(found(4)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_FORMAT' }))
    expect(found(2)).toThrow(corrupt)
    expect(() => expectVersion(new ByteReader(new Uint8Array(0)), 3, 'a value')).toThrow(corrupt)
  })
})

describe('released memory', () => {
  it('is freed at once, unless others may share it', () => {
    const own = new Float64Array(10_000)
    release(own)
    expect(own.length).toBe(0)
    const shared = new Uint8Array(new SharedArrayBuffer(100_000))
    release(shared)
    expect(shared.length).toBe(100_000)
    const pooled = Buffer.from('a few bytes')
    release(pooled)
    expect(pooled.toString()).toBe('a few bytes')
  })
})
