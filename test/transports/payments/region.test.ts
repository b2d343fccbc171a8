import { describe, expect, it } from 'vitest'
import { refuseRegion } from '../../../transports/payments/region.ts'

const blocked: [string, { country: string; region?: string }][] = [
  ['Cuba', { country: 'CU' }],
  ['Iran', { country: 'IR' }],
  ['North Korea', { country: 'KP' }],
  ['Syria', { country: 'sy' }],
  ['Crimea', { country: 'UA', region: '43' }],
  ['Sevastopol', { country: 'UA', region: '40' }],
  ['Donetsk', { country: 'UA', region: '14' }],
  ['Luhansk', { country: 'UA', region: 'UA-09' }],
  ['Crimea as some databases have it', { country: 'RU', region: 'CR' }],
  ['Sevastopol as some databases have it', { country: 'RU', region: 'SEV' }],
]

describe('payments are not offered in', () => {
  for (const [name, place] of blocked) {
    it(name, () => {
      expect(() => refuseRegion(place)).toThrow(expect.objectContaining({ kind: 'unavailable_region', status: 451 }))
    })
  }
})

describe('payments are offered', () => {
  for (const [name, place] of [
    ['in Kyiv', { country: 'UA', region: '30' }],
    ['in Ukraine at large', { country: 'UA' }],
    ['in Russia', { country: 'RU', region: 'MOW' }],
    ['where region 14 is another country’s', { country: 'FR', region: '14' }],
    ['where nobody knows the place', {}],
  ] as const) {
    it(name, () => {
      expect(() => refuseRegion(place)).not.toThrow()
    })
  }
})
