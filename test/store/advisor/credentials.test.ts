import { describe, expect, it } from 'vitest'
import { credentialKind, refuseCredentials } from '../../../store/advisor/credentials.ts'
import { processorMs } from '../../processor-time.ts'
import { credentials, harmless } from './credential-list.ts'
import { hostileTexts } from './hostile-texts.ts'

describe('the credential detector', () => {
  for (const [kind, text] of credentials) {
    it(`finds ${kind} in ${text.slice(0, 20)}…`, () => {
      expect(credentialKind(text)).toBe(kind)
      expect(credentialKind(`search the news with (${text}), daily`)).toBe(kind)
    })
  }

  for (const text of harmless) {
    it(`accepts: ${text}`, () => expect(credentialKind(text)).toBeUndefined())
  }

  it('names every field with credentials and repeats none of them', () => {
    const request = { goal: 'password: hunter2', requirements: 'pwd=hunter2' }
    expect(() => refuseCredentials(request)).toThrow(/^goal: must not contain credentials.*; requirements: must not/)
    expect(() => refuseCredentials(request)).not.toThrow(/hunter2/)
  })

  it('takes linear time', () => {
    for (const text of hostileTexts(0)) {
      const long = text.repeat(30)
      expect(
        processorMs(() => credentialKind(long)),
        text.slice(0, 20),
      ).toBeLessThan(2_000)
    }
  })
})
