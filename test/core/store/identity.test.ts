import { describe, expect, it } from 'vitest'
import { RELEASE } from '../../../core/runtime/release.ts'
import { RANKING } from '../../../core/segment/ranking-model.ts'
import { decodeIdentity, encodeIdentity, encodeUnfinished, FORMAT, newIdentity } from '../../../core/store/identity.ts'
import { ANALYZER } from '../../../core/text/languages/analyzers.ts'

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })

describe('the identity of a new index', () => {
  it('has the numbers of this release', () => {
    expect(newIdentity()).toEqual({ format: FORMAT, analyzer: ANALYZER, ranking: RANKING, release: RELEASE })
  })

  it('reads back as written', () => {
    expect(decodeIdentity(encodeIdentity(newIdentity()))).toEqual(newIdentity())
  })
})

describe('an identity', () => {
  it.each(['format', 'analyzer', 'ranking'])('with a newer %s names the release that has it', name => {
    const newer = { ...newIdentity(), [name]: 99, release: '9.8.7' }
    expect(() => decodeIdentity(json(newer))).toThrow(
      expect.objectContaining({
        code: 'ASOF_STORE_FORMAT',
        message: `the index has ${name} 99, which asof ${RELEASE} does not know: use asof 9.8.7 or a later release`,
        details: { [name]: 99, release: '9.8.7' },
      }),
    )
  })

  it('of a newer format may have any other fields', () => {
    expect(() => decodeIdentity(json({ format: FORMAT + 1, release: '9.8.7' }))).toThrow(
      expect.objectContaining({ code: 'ASOF_STORE_FORMAT' }),
    )
  })

  it('is corrupt if a number is missing or impossible', () => {
    for (const name of ['format', 'analyzer', 'ranking', 'release'])
      for (const value of [undefined, null, 0, -1, 1.5, {}])
        expect(() => decodeIdentity(json({ ...newIdentity(), [name]: value })), `${name} ${value}`).toThrow(corrupt)
    for (const value of [null, 7, []]) expect(() => decodeIdentity(json(value))).toThrow(corrupt)
    expect(() => decodeIdentity(Buffer.from('{'))).toThrow(corrupt)
  })

  it('of an unfinished backup is corrupt', () => {
    expect(() => decodeIdentity(encodeUnfinished())).toThrow(corrupt)
  })
})
