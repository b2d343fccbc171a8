import fc from 'fast-check'
import { expect, it } from 'vitest'
import { tryNormalize } from '../../../crawler/discovery/page-url.ts'
import { hostWithPort } from '../../../crawler/frontier/url-host.ts'

it('returns the host that the URL parser returns, for every normalized URL', () => {
  const url = fc.webUrl({ withFragments: true, withQueryParameters: true, validSchemes: ['http', 'https'] })
  const odd = fc.constantFrom('http://[::1]:8080?x=//y', 'https://a.org:443', 'http://A.org:81/x//y?z=/')
  fc.assert(
    fc.property(fc.oneof(url, odd), each => {
      const normal = tryNormalize(each)
      if (normal !== undefined) expect(hostWithPort(normal)).toBe(new URL(normal).host)
    }),
  )
})
