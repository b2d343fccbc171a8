import { describe, expect, it } from 'vitest'
import { clientNetwork } from '../../../service/accounts/index.ts'

describe('the client behind an address', () => {
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
