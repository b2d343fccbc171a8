import { describe, expect, it } from 'vitest'
import { decodeManifest, emptyManifest, encodeManifest } from '../../../core/store/manifest.ts'

const segment = { id: 1, captures: 2, terms: 3, totalLength: 4, minAcquiredAt: -5, maxAcquiredAt: 6, bytes: 7 }
const manifest = { ...emptyManifest, generation: 3, segments: [segment], lastStampAt: -9 }
const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })
const newer = expect.objectContaining({ code: 'ASOF_STORE_FORMAT' })

describe('the manifest', () => {
  it('reads back as written', () => {
    expect(decodeManifest(encodeManifest(manifest))).toEqual(manifest)
    expect(decodeManifest(encodeManifest(emptyManifest))).toEqual(emptyManifest)
  })

  it('is rejected as newer if a newer asof wrote it, whatever else it holds', () => {
    expect(() => decodeManifest(json({ version: 2 }))).toThrow(newer)
  })

  it('is corrupt if a field is missing or is not a non-negative integer', () => {
    for (const name of Object.keys(manifest)) {
      const { [name]: _, ...rest } = { version: 1, ...manifest } as Record<string, unknown>
      expect(() => decodeManifest(json(rest)), name).toThrow(corrupt)
      for (const value of ['1', 1.5, null, name.endsWith('At') ? {} : -1])
        expect(() => decodeManifest(json({ ...rest, [name]: value })), `${name} ${value}`).toThrow(corrupt)
    }
    expect(() => decodeManifest(json(manifest))).toThrow(corrupt)
  })

  it('is corrupt if one of its segments is', () => {
    for (const name of Object.keys(segment)) {
      const { [name]: _, ...rest } = segment as Record<string, unknown>
      for (const bad of [rest, { ...rest, [name]: 0.5 }, { ...rest, [name]: '3' }])
        expect(() => decodeManifest(json({ version: 1, ...manifest, segments: [bad] })), name).toThrow(corrupt)
    }
    for (const bad of [null, 3, 'x', { ...segment, captures: -1 }])
      expect(() => decodeManifest(json({ version: 1, ...manifest, segments: [bad] }))).toThrow(corrupt)
  })

  it('is corrupt when it is not a JSON object', () => {
    for (const text of ['', '{', 'null', '7', '"x"', '[]'])
      expect(() => decodeManifest(Buffer.from(text)), text).toThrow(corrupt)
  })
})
