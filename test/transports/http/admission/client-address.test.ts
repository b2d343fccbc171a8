import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizedForwardedFor } from '../../../../transports/http/admission/client-address.ts'
import { get, startServer } from '../running-server.ts'

describe('X-Forwarded-For', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:443', '192.0.2.1'],
    ['[2001:0DB8::1]', '2001:db8::1'],
    ['[2001:db8:0::1]:443', '2001:db8::1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:443', '192.0.2.1'],
    [' 192.0.2.1 ,\t198.51.100.7:1 ', '192.0.2.1, 198.51.100.7'],
    [', 192.0.2.1,, 198.51.100.7,', '192.0.2.1, 198.51.100.7'],
  ])('has each address in one form: %s', (header, normalized) => {
    expect(normalizedForwardedFor(header)).toBe(normalized)
  })

  it.each([
    ['unknown, 192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, unknown, 198.51.100.7', '198.51.100.7'],
    ['192.0.2.1, unknown', undefined],
    ['_hidden', undefined],
    ['127.1', undefined],
    ['010.0.0.1', undefined],
    ['0x7f000001', undefined],
    ['[192.0.2.1', undefined],
    ['192.0.2.1:a', undefined],
    ['"192.0.2.1"', undefined],
    ['', undefined],
    [' , ,', undefined],
    [`2001:db8::1%${'z'.repeat(1_000)}`, undefined],
  ])('ends before an entry that is no address: %s', (header, normalized) => {
    expect(normalizedForwardedFor(header)).toBe(normalized)
  })

  it('keeps the last 32 addresses of a long chain', () => {
    const chain = Array.from({ length: 2_000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`)
    expect(normalizedForwardedFor(chain.join(','))).toBe(chain.slice(-32).join(', '))
  })

  it('is a list of addresses in their normal form, whatever was sent', () => {
    const entry = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV6().map(address => `[${address}]:1`),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef.:[]%, ') }),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), entries => {
        const normalized = normalizedForwardedFor(entries.join(','))
        if (normalized === undefined) return
        for (const address of normalized.split(', ')) expect(isIP(address)).toBeGreaterThan(0)
        expect(normalizedForwardedFor(normalized)).toBe(normalized)
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['a port', (i: number) => `192.0.2.1:${10_000 + i}`],
    ['brackets and a port', (i: number) => `[2001:db8::1]:${10_000 + i}`],
    ['a zone', (i: number) => `2001:db8::1%${i}`],
    ['an IPv4 address mapped to IPv6', (i: number) => `::ffff:192.0.2.1%${i}`],
    ['no address', (i: number) => `visitor-${i}`],
    ['no address behind another proxy', (i: number) => `visitor-${i}, 10.0.0.1:${10_000 + i}`],
  ])('with %s makes no new client for the rate limit', async (_, forwarded) => {
    for (const trustProxy of [true as const, ['127.0.0.1', '10.0.0.0/8']]) {
      const keylessLimits = { perSecond: 1_000, perHour: 10 }
      const server = await startServer({ http: { keylessLimits, trustProxy } })
      try {
        const statuses = await Promise.all(
          Array.from({ length: 30 }, async (__, i) => {
            const headers = { 'X-Forwarded-For': forwarded(i) }
            return (await get(`${server.url}/v1/search/public?query=words`, headers)).status
          }),
        )
        expect(statuses.filter(status => status !== 429)).toHaveLength(10)
      } finally {
        await server.close()
      }
    }
  })
})
