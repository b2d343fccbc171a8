import { describe, expect, it } from 'vitest'
import { crawlHeaders } from '../../../../transports/cli/commands/crawl-headers.ts'

describe('the headers of a crawl', () => {
  it('are read from flags, in any case; the last of a name counts', () => {
    expect(crawlHeaders(['X-Permit: yes', 'authorization:Bearer a:b ', 'x-permit: no'])).toEqual({
      'x-permit': 'no',
      authorization: 'Bearer a:b',
    })
    expect(crawlHeaders([])).toBeUndefined()
    expect(crawlHeaders(undefined)).toBeUndefined()
  })

  it.each([
    ['no colon', 'Name: value'],
    [': value', 'Name: value'],
    ['User-Agent: me', 'User-Agent: cannot be set'],
    ['X-Näme: a', 'X-Näme: must be a header name'],
    ['X-Permit: sécret', 'X-Permit: must be printable ASCII'],
  ])('are refused for %j, with the name and not the value', (flag, message) => {
    expect(() => crawlHeaders([flag])).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(message) }),
    )
    expect(() => crawlHeaders([flag])).not.toThrow(/sécret/)
  })
})
