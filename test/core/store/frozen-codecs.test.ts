import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codecSamples } from '../fixtures/codec-samples.ts'
import { damage, damaged, readDamaged } from '../segment/damage.ts'

const frozen = JSON.parse(readFileSync(new URL('../fixtures/codecs-v1.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>
const bytesOf = (name: string) => Uint8Array.from(Buffer.from(frozen[name]!, 'hex'))

/** All samples except keys: LevelDB checksums keys, so they are never decoded from damaged bytes. */
const values = codecSamples.filter(
  ({ name }) => !name.startsWith('key ') && name !== 'bytes of a chunk of each stream, and of the shortest long list',
)
/** The samples whose first byte is their version. */
const versioned = values.filter(
  ({ name }) =>
    !['identity', 'manifest', 'posting list', 'position list'].includes(name) && !name.startsWith('standing list'),
)

describe('a value that format 1 wrote', () => {
  it('is frozen for every codec', () => {
    expect(Object.keys(frozen).sort()).toEqual(codecSamples.map(({ name }) => name).sort())
  })

  for (const { name, value, encode, decode, compressed } of codecSamples) {
    it(`still decodes to the same value: ${name}`, () => {
      expect(decode(bytesOf(name))).toEqual(value)
    })

    it(`is still encoded ${compressed ? 'so that it decodes to the same value' : 'byte for byte'}: ${name}`, async () => {
      const bytes = await encode()
      if (compressed) expect(decode(bytes)).toEqual(value)
      else expect(Buffer.from(bytes).toString('hex')).toBe(frozen[name])
    })
  }

  for (const { name, decode } of values) {
    it(`decodes or fails as corrupt after any damage: ${name}`, () => {
      fc.assert(
        fc.property(damage, done => readDamaged(() => decode(damaged(bytesOf(name), done)))),
        { numRuns: 200 },
      )
    })

    it(`is corrupt if it is empty: ${name}`, () => {
      expect(() => decode(new Uint8Array(0))).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
    })
  }

  for (const { name, decode } of versioned) {
    it(`is rejected as newer if its version is newer, and is corrupt with version 0: ${name}`, () => {
      const bytes = bytesOf(name)
      bytes[0]!++
      expect(() => decode(bytes)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_FORMAT' }))
      bytes[0] = 0
      expect(() => decode(bytes)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
    })
  }
})
