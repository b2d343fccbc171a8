import { describe, expect, it } from 'vitest'
import { expectShape, LEVELDB_RESTART_EVERY } from '../../../core/leveldb/block-shape.ts'

const COUNT = 40

/** A key as tables keep it: with sequence number and type behind it. */
function keyOf(number: number): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE((number + 100) * 256 + 1)
  return Buffer.concat([Buffer.from(`key${String(number).padStart(4, '0')}`), trailer])
}

interface Block {
  bytes: Buffer
  /** Where keys and values lie, without their lengths. */
  contents: [from: number, to: number][]
}

/** A block as LevelDB writes it (table_format.md): entries that share prefixes, restarts, and their number. */
function block(): Block {
  const parts: Buffer[] = []
  const restarts: number[] = []
  const contents: [number, number][] = []
  let length = 0
  let previous: Uint8Array = Buffer.alloc(0)
  for (let number = 0; number < COUNT; number++) {
    const key = keyOf(number)
    let shared = 0
    if (number % LEVELDB_RESTART_EVERY === 0) restarts.push(length)
    else while (key[shared] === previous[shared]) shared++
    const value = Buffer.alloc(number % 5, 'v')
    const own = key.subarray(shared)
    parts.push(Buffer.from([shared, own.length, value.length]), own, value)
    contents.push([length + 3, length + 3 + own.length + value.length])
    length += 3 + own.length + value.length
    previous = key
  }
  const end = Buffer.alloc(4 * restarts.length + 4)
  for (const [i, at] of [...restarts, restarts.length].entries()) end.writeUInt32LE(at, i * 4)
  return { bytes: Buffer.concat([...parts, end]), contents }
}

const check = (bytes: Uint8Array, after?: Uint8Array, upTo: Uint8Array = keyOf(COUNT)): void =>
  expectShape(bytes, 0, bytes.length, after, upTo)

function withFlipped(bytes: Uint8Array, at: number, bit: number): Uint8Array {
  const flipped = Uint8Array.from(bytes)
  flipped[at]! ^= 1 << bit
  return flipped
}

describe('the shape of a block', () => {
  it('is accepted for blocks that LevelDB wrote, at any offset', () => {
    const { bytes } = block()
    check(bytes)
    const shifted = Buffer.concat([Buffer.alloc(7), bytes, Buffer.alloc(9)])
    expectShape(shifted, 7, bytes.length, undefined, keyOf(COUNT))
  })

  it('is rejected after any flipped bit of the restarts or their number', () => {
    const { bytes, contents } = block()
    for (let at = contents[COUNT - 1]![1]; at < bytes.length; at++)
      for (let bit = 0; bit < 8; bit++)
        expect(() => check(withFlipped(bytes, at, bit)), `bit ${bit} of byte ${at}`).toThrow()
  })

  it('is rejected after a flipped bit of a length, unless the resulting keys are in order', () => {
    const { bytes, contents } = block()
    let passed = 0
    for (const [from] of contents)
      for (const at of [from - 3, from - 2, from - 1])
        for (let bit = 0; bit < 8; bit++)
          try {
            check(withFlipped(bytes, at, bit))
            passed++
          } catch (error) {
            expect(error).toMatchObject({ name: 'Damage' })
          }
    expect(passed).toBeLessThan(COUNT * 3 * 8 * 0.1)
  })

  it('is rejected if keys are out of order or of an unknown kind', () => {
    const { bytes, contents } = block()
    const [from] = contents[20]!
    const swapped = Buffer.from(bytes)
    swapped[from]!--
    expect(() => check(swapped)).toThrow('out of order')
    const kind = Buffer.from(bytes)
    kind[contents[0]![0] + 7] = 2
    expect(() => check(kind)).toThrow('unknown kind')
  })

  it('is rejected if keys are outside the bounds of the index', () => {
    const { bytes } = block()
    expect(() => check(bytes, undefined, keyOf(COUNT - 2))).toThrow('greater')
    expect(() => check(bytes, keyOf(0))).toThrow('out of order')
    check(bytes, keyOf(-1).fill('a', 0, 3), keyOf(COUNT - 1))
  })

  it('is rejected for a block that is empty or too short', () => {
    for (const size of [0, 3, 4, 8]) expect(() => check(Buffer.alloc(size))).toThrow()
    const { bytes } = block()
    for (let length = 0; length < bytes.length; length++) expect(() => check(bytes.subarray(0, length))).toThrow()
  })
})
