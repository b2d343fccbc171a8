import { english } from 'viem/accounts'
import { expect, it } from 'vitest'
import { seedWords } from '../../../store/advisor/seed-phrase.ts'

it('the words of seed phrases are those of BIP-39', () => {
  expect([...seedWords]).toEqual(english)
})
