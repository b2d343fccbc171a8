import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openGeoDatabase, refuseRegion } from '../../../store/payments/region.ts'
import { mmdbFile } from './mmdb-file.ts'

const blocked: [string, { country: string; region?: string }][] = [
  ['Cuba', { country: 'CU' }],
  ['Iran', { country: 'IR' }],
  ['North Korea', { country: 'KP' }],
  ['Syria', { country: 'sy' }],
  ['Crimea', { country: 'UA', region: '43' }],
  ['Sevastopol', { country: 'UA', region: '40' }],
  ['Donetsk', { country: 'UA', region: '14' }],
  ['Luhansk', { country: 'UA', region: 'UA-09' }],
  ['Luhansk without its zero', { country: 'UA', region: '9' }],
  ['Luhansk with its prefix and without its zero', { country: 'ua', region: ' ua-9 ' }],
  ['Luhansk with more zeros', { country: 'UA', region: '009' }],
  ['Crimea with its prefix', { country: 'UA', region: 'UA-43' }],
  ['Crimea as some databases have it', { country: 'RU', region: 'CR' }],
  ['Sevastopol as some databases have it', { country: 'RU', region: 'SEV' }],
]

describe('payments are not offered in', () => {
  for (const [name, place] of blocked) {
    it(name, () => {
      expect(() => refuseRegion(place)).toThrow(expect.objectContaining({ kind: 'unavailable_region' }))
    })
  }
})

describe('payments are offered', () => {
  for (const [name, place] of [
    ['in Kyiv', { country: 'UA', region: '30' }],
    ['in Ukraine at large', { country: 'UA' }],
    ['in Russia', { country: 'RU', region: 'MOW' }],
    ['where region 14 is another country’s', { country: 'FR', region: '14' }],
    ['where region 9 is another country’s', { country: 'CH', region: '9' }],
    ['in a region whose number ends in 9', { country: 'UA', region: '59' }],
    ['where nobody knows the place', {}],
  ] as const) {
    it(name, () => {
      expect(() => refuseRegion(place)).not.toThrow()
    })
  }
})

describe('a database of places', () => {
  it('is rejected if it has countries without subdivisions', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'asof-mmdb-'))
    const file = path.join(dir, 'places.mmdb')
    const places = { '203.0.113.1': { country: { iso_code: 'CU' } } }
    for (const type of ['GeoLite2-Country', 'ipinfo country.mmdb', 'GeoLite2-ASN']) {
      await writeFile(file, mmdbFile(places, type))
      await expect(openGeoDatabase(file)).rejects.toThrow(type)
    }
    await writeFile(file, mmdbFile(places, 'GeoLite2-City'))
    expect((await openGeoDatabase(file))('203.0.113.1')).toEqual({ country: 'CU' })
    await rm(dir, { recursive: true })
  })
})
