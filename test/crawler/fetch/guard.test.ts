import { describe, expect, it } from 'vitest'
import { checkUrl, guardLookup, isPublicAddress } from '../../../crawler/fetch/guard.ts'

const reasonOf = (url: string) => {
  try {
    checkUrl(new URL(url))
    return 'passes'
  } catch (error) {
    return (error as { code: string; details: { reason: string } }).details.reason
  }
}

describe('the address guard', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://017700000001/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://\uff11\uff12\uff17.0.0.1/',
    'http://0.0.0.0/',
    'http://0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0xa9fea9fe/',
    'http://168.63.129.16/',
    'http://192.0.0.192/',
    'http://192.0.2.1/',
    'http://198.18.0.1/',
    'http://203.0.113.9/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[::1.2.3.4]/',
    'http://[0:0:0:0:0:ffff:169.254.169.254]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001::1]/',
    'http://[2001:db8::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[100::1]/',
    'http://[3fff::1]/',
    'http://[5f00::1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://db.localhost/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://printer.local/',
    'http://router.home.arpa/',
  ])('refuses the address of %s', url => {
    expect(reasonOf(url)).toBe('address')
  })
  it.each([
    'http://93.184.215.14/',
    'https://[2606:4700::1111]/',
    'http://[::ffff:93.184.215.14]/',
    'http://[64:ff9b::5db8:d70e]/',
    'https://example.com:8443/',
    'http://localhost.example.com/',
    'http://notlocalhost/',
  ])('lets %s through to name resolution', url => {
    expect(reasonOf(url)).toBe('passes')
  })
  it.each([
    ['ftp://example.com/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['http://user:pw@example.com/', 'credentials'],
    ['http://user@example.com/', 'credentials'],
    ['http://example.com:22/', 'port'],
    ['http://example.com:25/', 'port'],
    ['http://example.com:6379/', 'port'],
    ['http://example.com:6667/', 'port'],
  ])('refuses %s for its %s', (url, reason) => {
    expect(reasonOf(url)).toBe(reason)
  })
  it('does not call text public that is not an address', () => {
    expect(isPublicAddress('example.com')).toBe(false)
    expect(isPublicAddress('')).toBe(false)
  })
})

const lookup = (options: Parameters<typeof guardLookup>[0], all: boolean, family = 0) =>
  new Promise<{ error: NodeJS.ErrnoException | null; address: unknown }>(resolve => {
    guardLookup(options)('some.host', { all, family }, (error, address) => resolve({ error, address }))
  })

describe('the guarded lookup', () => {
  it('returns the addresses that it has checked', async () => {
    const resolve = async () => [{ address: '93.184.215.14', family: 4 }]
    expect(await lookup({ resolve }, true)).toEqual({ error: null, address: [{ address: '93.184.215.14', family: 4 }] })
    expect(await lookup({ resolve }, false)).toEqual({ error: null, address: '93.184.215.14' })
  })
  it('refuses a name if any of its addresses is not public', async () => {
    const resolve = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: '::ffff:10.0.0.1', family: 6 },
    ]
    expect((await lookup({ resolve }, true)).error?.code).toBe('ASOF_ADDRESS_REFUSED')
    expect((await lookup({ resolve }, false, 4)).error?.code).toBe('ASOF_ADDRESS_REFUSED')
    expect((await lookup({ resolve, allowPrivate: true }, true)).error).toBeNull()
  })
  it('reports a name without addresses, and the resolver\u2019s own failure', async () => {
    expect((await lookup({ resolve: async () => [] }, true)).error?.code).toBe('ENOTFOUND')
    const broken = async () => Promise.reject(Object.assign(new Error('no'), { code: 'EAI_AGAIN' }))
    expect((await lookup({ resolve: broken }, true)).error?.code).toBe('EAI_AGAIN')
  })
})
