import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codecSamples } from '../fixtures/codec-samples.ts'
import { damage, damaged, readDamaged } from '../segment/damage.ts'

const frozen = JSON.parse(readFileSync(new URL('../fixtures/codecs-v2.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>
const bytesOf = (name: string) => Uint8Array.from(Buffer.from(frozen[name]!, 'hex'))

/** Keys are made and read by the store alone, and LevelDB checks them: they are not read from damaged bytes. */
const values = codecSamples.filter(
  ({ name }) => !name.startsWith('key ') && name !== 'bytes of a chunk of postings, and of positions',
)
/** Whose first byte is their version. */
const versioned = values.filter(({ name }) => !['identity', 'manifest', 'posting list', 'position list'].includes(name))

describe('a value that format 2 wrote', () => {
  it('is frozen for every codec', () => {
    expect(Object.keys(frozen).sort()).toEqual(codecSamples.map(({ name }) => name).sort())
  })

  for (const { name, value, encode, decode, compressed } of codecSamples) {
    it(`is read today as it was then: ${name}`, () => {
      expect(decode(bytesOf(name))).toEqual(value)
    })

    it(`is written today ${compressed ? 'so that it reads the same' : 'byte for byte'}: ${name}`, async () => {
      const bytes = await encode()
      if (compressed) expect(decode(bytes)).toEqual(value)
      else expect(Buffer.from(bytes).toString('hex')).toBe(frozen[name])
    })
  }

  for (const { name, decode } of values) {
    it(`fails as corrupt, or reads, however it is damaged: ${name}`, () => {
      fc.assert(
        fc.property(damage, done => readDamaged(() => decode(damaged(bytesOf(name), done)))),
        { numRuns: 200 },
      )
    })

    it(`is corrupt when nothing of it is left: ${name}`, () => {
      expect(() => decode(new Uint8Array(0))).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
    })
  }

  for (const { name, decode } of versioned) {
    it(`is refused when its version is newer, and corrupt when it is none: ${name}`, () => {
      const bytes = bytesOf(name)
      bytes[0]!++
      expect(() => decode(bytes)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_NEWER' }))
      bytes[0] = 0
      expect(() => decode(bytes)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
    })
  }
})
