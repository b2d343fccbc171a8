import { describe, expect, it } from 'vitest'
import { clientNetwork, createKeylessLimit } from '../../../service/accounts/index.ts'
import { ClientNetworks } from '../../../service/accounts/rate-limit.ts'

const address = (site: number, network: number) => `2001:db8:${site.toString(16)}:${network.toString(16)}::1`

describe('the client behind an address, for a rate limit', () => {
  it('is a /64 of IPv6 until more than 64 networks of its /48 have called, then the /48', () => {
    const networks = new ClientNetworks()
    for (let i = 0; i < 64; i += 1) expect(networks.of(address(1, i))).toBe(`2001:db8:1:${i.toString(16)}::/64`)
    expect(networks.of(address(1, 64))).toBe('2001:db8:1::/48')
    expect(networks.of(address(1, 0))).toBe('2001:db8:1::/48')
    expect(networks.of(address(2, 0))).toBe('2001:db8:2:0::/64')
  })

  it('is a /64 again after an hour', () => {
    let time = 0
    const networks = new ClientNetworks({ maxPer48: 2, now: () => time })
    for (let i = 0; i < 5; i += 1) networks.of(address(1, i))
    expect(networks.of(address(1, 0))).toBe('2001:db8:1::/48')
    time = 3_600_000
    expect(networks.of(address(1, 0))).toBe('2001:db8:1:0::/64')
  })

  it('is a single IPv4 address, however many call', () => {
    const networks = new ClientNetworks({ maxPer48: 2 })
    for (let i = 0; i < 100; i += 1) expect(networks.of(`192.0.2.${i}`)).toBe(`192.0.2.${i}`)
  })

  it('gives the owner of a /48 at most 64 times the limit of others', async () => {
    const limit = createKeylessLimit({ perSecond: 1_000_000, perHour: 3 })
    let served = 0
    for (let i = 0; i < 2_000; i += 1) {
      if (!(await limit(address(1, i))).refusal) served += 1
    }
    expect(served).toBe(64 + 3)
    expect((await limit(address(2, 1))).refusal).toBeUndefined()
  })
})

describe('the network that counts as one client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['no address', 'unknown'],
    ['192.0.2.7:80', 'unknown'],
  ])('takes %s for a client of %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network)
  })
})
