import { describe, expect, it } from 'vitest'
import { corpusOfSeeds } from '../../../../crawler/index.ts'
import { withFlags } from '../../../../transports/cli/commands/crawl-definition.ts'

const corpus = corpusOfSeeds(['https://example.com/'])
const crawlHeaders = (header?: string[]) => withFlags(corpus, header ? { header } : {}).headers

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

describe('the definition of a crawl', () => {
  it('has the paths and the user agent of the flags in place of those of the corpus', () => {
    const flags = {
      include: ['/docs/'],
      exclude: ['/docs/old/', '/*/print'],
      userAgent: 'museum/1.0 (+https://example.com/bot)',
    }
    const changed = withFlags({ ...corpus, scope: { type: 'host', include: ['/a'] }, userAgent: 'other/1' }, flags)
    expect(changed.scope).toEqual({ type: 'host', include: ['/docs/'], exclude: ['/docs/old/', '/*/print'] })
    expect(changed.userAgent).toBe('museum/1.0 (+https://example.com/bot)')
    expect(withFlags(corpus, {})).toEqual(corpus)
  })

  it.each([
    [{ include: ['docs'] }, '--include: '],
    [{ exclude: ['https://example.com/'] }, '--exclude: '],
    [{ userAgent: '(bot)' }, '--user-agent: must start with a product token'],
  ])('refuses %j, and names the flag', (flags, message) => {
    expect(() => withFlags(corpus, flags)).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(message) }),
    )
  })
})
