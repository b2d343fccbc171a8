import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_ROBOTS_BYTES, parseRobots } from '../../../crawler/politeness/robots.ts'
import { processorMs } from '../../processor-time.ts'

// The types of robots-parser describe a default export that its CommonJS module does not have.
const robotsParser: (url: string, text: string) => { isAllowed(url: string, agent: string): boolean | undefined } =
  createRequire(import.meta.url)('robots-parser')
const robotsUrl = 'https://example.com/robots.txt'
const parse = (text: string) => parseRobots(Buffer.from(text), robotsUrl)
const allowed = (text: string, path: string, agent = 'asof') => parse(text).allowed(agent, `https://example.com${path}`)

describe('groups of robots.txt', () => {
  it('applies only the group that names the agent, and the * group only if there is none', () => {
    const text = 'User-agent: *\nDisallow: /\n\nUser-agent: asof\nDisallow: /private\n'
    expect(allowed(text, '/open')).toBe(true)
    expect(allowed(text, '/private/x')).toBe(false)
    expect(allowed(text, '/open', 'otherbot')).toBe(false)
  })
  it('allows everything to an agent whose group has no rules', () => {
    expect(allowed('User-agent: *\nDisallow: /\nUser-agent: asof\n', '/x')).toBe(true)
  })
  it('applies several groups for one agent as one', () => {
    const text = 'User-agent: asof\nDisallow: /a\nUser-agent: b\nDisallow: /\nUser-agent: asof\nDisallow: /b\n'
    expect([allowed(text, '/a'), allowed(text, '/b'), allowed(text, '/c')]).toEqual([false, false, true])
  })
  it('ends the list of agents at a rule, and at no other line', () => {
    const text = 'User-agent: asof\nCrawl-delay: 3\nSitemap: /s.xml\nFoo: bar\nUser-agent: other\nDisallow: /x\n'
    expect(allowed(text, '/x')).toBe(false)
    expect(allowed(text, '/x', 'other')).toBe(false)
  })
  it('compares product tokens ignoring case, also of a whole user-agent string', () => {
    expect(allowed('User-agent: ASOF/2.0 bot\nDisallow: /', '/')).toBe(false)
    expect(allowed('User-agent: asof\nDisallow: /', '/', 'asof/0.1 (+https://example.org)')).toBe(false)
    expect(allowed('User-agent: asofish\nDisallow: /', '/')).toBe(true)
  })
  it('compares product tokens as a whole, digits included', () => {
    const text = 'User-agent: crawler1\nDisallow: /\n\nUser-agent: *\nAllow: /\n'
    expect(allowed(text, '/', 'crawler1')).toBe(false)
    expect(allowed(text, '/', 'Crawler1/2.0 (+https://example.org)')).toBe(false)
    for (const other of ['crawler3', 'crawler', 'crawler12', 'crawler-1']) expect(allowed(text, '/', other)).toBe(true)
  })
  it('applies the group of an agent whose name starts with digits to that agent alone', () => {
    const text = 'User-agent: 360Spider\nUser-agent: 008\nDisallow: /\n'
    expect(allowed(text, '/', '360spider')).toBe(false)
    expect(allowed(text, '/', '008/0.83')).toBe(false)
    expect(allowed(text, '/', '009')).toBe(true)
    expect(allowed(text, '/')).toBe(true)
  })
  it('never applies a group to an agent with another product token', () => {
    const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
    fc.assert(
      fc.property(token, token, (named, agent) => {
        const bound = named.toLowerCase() === agent.toLowerCase()
        expect(allowed(`User-agent: ${named}\nDisallow: /\n`, '/', agent)).toBe(!bound)
      }),
    )
  })
})

describe('paths of robots.txt', () => {
  it.each([
    ['/fish', '/fish.html', false],
    ['/fish', '/Fish', true],
    ['/fish/', '/fish', true],
    ['/*.php$', '/a/b.php', false],
    ['/*.php$', '/a/b.php?x', true],
    ['/*?', '/a?', false],
    ['/*?', '/a', true],
    ['/a*b*c', '/a-b-c', false],
    ['/a*c*b$', '/acbb', false],
    ['/a*c*b$', '/acbc', true],
    ['/~joe', '/%7Ejoe/', false],
    ['/%7Ejoe', '/~joe/', false],
    ['/caf\u00e9', '/caf%C3%A9', false],
    ['/caf%c3%a9', '/caf\u00e9', false],
    ['/a%2fb', '/a/b', true],
    ['/a%2fb', '/a%2Fb', false],
    ['/a[1]', '/a[1]', false],
    ['/a[1]', '/a%5B1%5D', false],
    ['/x%2A', '/x*', false],
    ['/x%2A', '/xy', true],
    ['/x$y', '/x$y', false],
    ['/$', '/', false],
    ['/$', '/a', true],
    ['', '/a', true],
    ['*', '/a', false],
    ['/100%', '/100%', false],
  ])('decides by Disallow: %s whether %s is allowed: %s', (pattern, path, expected) => {
    expect(allowed(`User-agent: *\nDisallow: ${pattern}\n`, path)).toBe(expected)
  })
  it('lets the longest match decide, and Allow win a tie', () => {
    expect(allowed('User-agent: *\nAllow: /p\nDisallow: /', '/page')).toBe(true)
    expect(allowed('User-agent: *\nDisallow: /folder\nAllow: /folder', '/folder/page')).toBe(true)
    expect(allowed('User-agent: *\nAllow: /page\nDisallow: /*.htm', '/page.htm')).toBe(false)
  })
  it('always allows robots.txt itself', () => {
    expect(allowed('User-agent: *\nDisallow: /', '/robots.txt')).toBe(true)
  })
  it('does not allow a URL that cannot be parsed', () => {
    expect(parse('').allowed('asof', 'not a url')).toBe(false)
  })
})

describe('other fields of robots.txt', () => {
  it('reads Crawl-delay in seconds from the group of the agent, and ignores invalid values', () => {
    const text = 'User-agent: asof\nCrawl-delay: 2.5\nDisallow: /x\nUser-agent: *\nCrawl-delay: 9\n'
    expect(parse(text).crawlDelay('asof')).toBe(2.5)
    expect(parse(text).crawlDelay('other')).toBe(9)
    for (const bad of ['-5', '1e9', 'abc', '', '99999999']) {
      expect(parse(`User-agent: *\nCrawl-delay: ${bad}`).crawlDelay('asof')).toBeUndefined()
    }
  })
  it('lists sitemaps as absolute http URLs without repeats, wherever in the file they are', () => {
    const text =
      'Sitemap: /a.xml\nUser-agent: *\nSitemap: https://example.com/a.xml\nSitemap: ftp://x/y\nSitemap: https://o.org/b.xml # c'
    expect(parse(text).sitemaps).toEqual(['https://example.com/a.xml', 'https://o.org/b.xml'])
  })
  it('accepts misspelled fields, a byte order mark, and all kinds of line ends', () => {
    expect(allowed('\ufeffuser agent: *\rDissallow: /a\r\ndisallow /b\n', '/a')).toBe(false)
    expect(allowed('\ufeffuser agent: *\rDissallow: /a\r\ndisallow /b\n', '/b')).toBe(false)
  })
  it('ignores the file after 500 KiB', () => {
    const text = `User-agent: *\n#${'x'.repeat(MAX_ROBOTS_BYTES)}\nDisallow: /\n`
    expect(allowed(text, '/a')).toBe(true)
  })
})

describe('any robots.txt', () => {
  it('is parsed whatever its bytes are, and answers for any URL', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.webUrl({ withQueryParameters: true }), (bytes, url) => {
        expect(typeof parseRobots(bytes, robotsUrl).allowed('asof', url)).toBe('boolean')
      }),
    )
  })
  it('gives the answers of robots-parser for simple groups of simple paths', () => {
    const path = fc.stringMatching(/^\/[a-z/]{0,6}\*?[a-z]{0,3}\$?$/).filter(text => text.length > 1)
    const rule = fc.record({ allow: fc.boolean(), path })
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 6 }),
        fc.stringMatching(/^\/[a-z/]{0,8}$/),
        (rules, target) => {
          const text = `User-agent: *\n${rules.map(r => `${r.allow ? 'Allow' : 'Disallow'}: ${r.path}`).join('\n')}\n`
          const url = `https://example.com${target}`
          expect(parse(text).allowed('asof', url)).toBe(robotsParser(robotsUrl, text).isAllowed(url, 'asof'))
        },
      ),
      { numRuns: 500 },
    )
  })
  it('is matched in bounded time, even if it is hostile and full of long wildcard rules', () => {
    const rules = Array.from({ length: 60 }, (_, i) => `Disallow: /${`*${'a'.repeat(40)}b`.repeat(180)}${i}$`)
    const robots = parse(`User-agent: *\n${rules.join('\n')}`)
    const ms = processorMs(() => {
      // Rules beyond the limit forbid all paths that start with their head.
      expect(robots.allowed('asof', `https://example.com/${'a'.repeat(8000)}`)).toBe(false)
    })
    expect(ms).toBeLessThan(20_000)
  })
  it.each([`/*${'a'.repeat(40)}b`, '/*a*b*c*d*e', '/*ab'])(
    'is matched in bounded time per URL, even if it is full of %j',
    pattern => {
      const rules = Array.from({ length: 9500 }, (_, i) => `Disallow: ${pattern}${i}`)
      const robots = parse(`User-agent: *\n${rules.join('\n')}`)
      const url = `https://example.com/${'a'.repeat(2000)}`
      robots.allowed('asof', url)
      const ms = processorMs(() => {
        for (let i = 0; i < 20; i++) robots.allowed('asof', `${url}${i}`)
      })
      expect(ms).toBeLessThan(20_000)
    },
  )
  it('drops an Allow beyond the wildcard limit, and shortens a Disallow to the text before its first wildcard', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `Disallow: /none/*/${'long/'.repeat(4)}${i}`).join('\n')
    const robots = parse(`User-agent: *\n${many}\nDisallow: /a/*x\nAllow: /b/*y\nDisallow: /b/\nAllow: /c`)
    const allowed = (path: string) => robots.allowed('asof', `https://example.com${path}`)
    expect([allowed('/a/'), allowed('/b/y'), allowed('/c'), allowed('/none/'), allowed('/d')]).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
  })
})

const fixtures = fileURLToPath(new URL('../../../../shared/fixtures/robots/', import.meta.url))

describe.skipIf(!existsSync(fixtures))('robots.txt fixtures (skipped where ../shared/fixtures is missing)', () => {
  it('gives the published answers for all cases of the classes core and rfc', () => {
    const files: {
      robots?: string
      robots_b64?: string
      checks: { agent: string; url: string; allowed: boolean; class: string }[]
    }[] = JSON.parse(readFileSync(`${fixtures}cases.json`, 'utf8'))
    const wrong = files.flatMap(file =>
      file.checks
        .filter(check => check.class === 'core' || check.class === 'rfc')
        .filter(check => {
          const bytes = file.robots_b64 ? Buffer.from(file.robots_b64, 'base64') : Buffer.from(file.robots ?? '')
          return (
            parseRobots(bytes, new URL('/robots.txt', check.url).href).allowed(check.agent, new URL(check.url).href) !==
            check.allowed
          )
        }),
    )
    expect(wrong).toEqual([])
  })
  it('gives the answers of the reference parser for files of popular sites', () => {
    const files: {
      robots?: string
      robots_b64?: string
      verdicts: { agent: string; allow: string[]; deny: string[] }[]
    }[] = JSON.parse(brotliDecompressSync(readFileSync(`${fixtures}real.json.br`)).toString())
    let checked = 0
    const wrong: string[] = []
    for (const file of files) {
      const bytes = file.robots_b64 ? Buffer.from(file.robots_b64, 'base64') : Buffer.from(file.robots ?? '')
      const robots = parseRobots(bytes, robotsUrl)
      for (const { agent, allow, deny } of file.verdicts) {
        for (const url of allow) if (!robots.allowed(agent, url)) wrong.push(url)
        for (const url of deny) if (robots.allowed(agent, url)) wrong.push(url)
        checked += allow.length + deny.length
      }
    }
    expect(checked).toBeGreaterThan(20_000)
    expect(wrong).toEqual([])
  })
})
