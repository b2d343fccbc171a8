import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAsofError } from '../../extract/errors/errors.ts'
import { extractBody } from '../../extract/extract-body.ts'
import { extractPage } from '../../extract/extract-page.ts'
import type { ExtractedPage } from '../../extract/extracted-page.ts'
import { casesOf } from '../cases.ts'
import { docx, epub, pdf, pptx, xlsx } from '../extract/documents/made-files.ts'
import { processorMs } from '../processor-time.ts'

const url = 'https://a.example/dir/page'
/** Number of inputs of each kind, over 50,000 in a whole run. */
const RUNS = {
  markup: casesOf(20_000),
  bytes: casesOf(15_000),
  mutated: casesOf(15_000),
  documents: casesOf(1500),
} as const
/** Limit of processor time for one small input: far more than needed, far less than a hang. */
const MAX_MS = 20_000

const fixtures = new URL('../../../shared/fixtures/', import.meta.url)
const hasFixtures = existsSync(fixtures)

/** Checks what must be true of every page, whatever the input. */
function expectBounds(page: ExtractedPage): void {
  expect(page.markdown.isWellFormed() && !page.markdown.includes('\0')).toBe(true)
  expect(page.links.length).toBeLessThanOrEqual(5000)
  expect(page.data.length).toBeLessThanOrEqual(50)
  expect(Buffer.byteLength(JSON.stringify(page.data))).toBeLessThanOrEqual(260 * 1024)
  for (const { url: link } of page.links) expect(link).toMatch(/^https?:/)
  expect('publishedAt' in page).toBe('publishedFrom' in page)
}

function check(body: Uint8Array | string, contentType: string | undefined): void {
  const ms = processorMs(() => {
    try {
      expectBounds(extractPage(body, { url, contentType }))
    } catch (error) {
      // Bytes may be detected as a type that is not supported.
      if (!isAsofError(error, 'ASOF_UNSUPPORTED_TYPE')) throw error
    }
  })
  expect(ms).toBeLessThan(MAX_MS)
}

const words = (
  'html head body title meta base link script style article main section div p span a b i em table tr td th ul li ol dl dd h1 h2 pre code ' +
  'blockquote img br hr svg math template noscript form select option iframe textarea'
).split(' ')
const attributes = (
  'href=/a src="x y" class="content comment" id=main itemscope itemtype=https://schema.org/Product itemprop=name vocab=https://schema.org/ ' +
  'typeof=Thing property=name content="2020-01-01" datetime=2020-02-30 rel=author lang=en type=application/ld+json charset=utf-8 ' +
  'name=description style=display:none hidden colspan=9999999 start=-1 http-equiv=refresh'
).split(' ')
const token = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...words), fc.subarray(attributes, { maxLength: 3 }))
      .map(([tag, some]) => `<${[tag, ...some].join(' ')}>`),
  },
  { weight: 4, arbitrary: fc.constantFrom(...words).map(tag => `</${tag}>`) },
  { weight: 4, arbitrary: fc.lorem({ maxCount: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.json() },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '<',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '&',
      '&#0;',
      '&#x110000;',
      '&notit;',
      '\0',
      '{"@type":"A",',
      '"]}',
      '```',
      '|',
      '\r',
      '\ud800',
      '<?xml',
      '%PDF-',
      '05/06/2020',
      '12 Mai 2021',
    ),
  },
)
const markup = fc.array(token, { maxLength: 60 }).map(tokens => tokens.join(''))
const types = fc.constantFrom(
  undefined,
  'text/html',
  'text/plain',
  'text/markdown',
  'application/json',
  'application/xml',
  'application/rss+xml',
  'text/html; charset=utf-16',
  'text/html; charset=gbk',
)

describe('extraction does not fail unexpectedly and stays within its limits', () => {
  it(`for ${RUNS.markup} random pages`, () => {
    fc.assert(fc.property(markup, types, check), { numRuns: RUNS.markup })
  })

  it(`for ${RUNS.bytes} random byte strings`, () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc
        .array(
          fc.constantFrom(0, 9, 10, 0x1b, 0x24, 0x42, 0x3c, 0x3e, 0x26, 0x22, 0x7b, 0x81, 0xa4, 0xe4, 0xff, 0xfe),
          { maxLength: 300 },
        )
        .map(bytes => Uint8Array.from(bytes)),
    )
    fc.assert(fc.property(bytes, types, check), { numRuns: RUNS.bytes })
  })

  it.skipIf(!hasFixtures)(`for ${RUNS.mutated} mutated pieces of real pages`, () => {
    const pages = realPages(40)
    const mutation = fc.record({
      page: fc.nat(pages.length - 1),
      from: fc.nat(),
      size: fc.integer({ min: 1, max: 6000 }),
      cut: fc.nat(),
      put: fc.oneof(
        token,
        fc.constantFrom('<div>'.repeat(300), '<a href=/x>'.repeat(200), '<meta '.repeat(200), '"'.repeat(99)),
      ),
      flips: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
    })
    fc.assert(
      fc.property(mutation, types, ({ page, from, size, cut, put, flips }, type) => {
        const start = from % pages[page]!.length
        const piece = pages[page]!.subarray(start, start + size)
        const at = cut % (piece.length + 1)
        const body = Buffer.concat([piece.subarray(0, at), Buffer.from(put), piece.subarray(at)])
        for (const [position, value] of flips) body[position % body.length] = value
        check(body, type)
      }),
      { numRuns: RUNS.mutated },
    )
  })

  it(`for ${RUNS.documents} damaged documents, each of which is extracted or rejected with a documented error code`, async () => {
    const whole = [
      docx(),
      xlsx(),
      pptx(),
      epub(),
      pdf([[{ text: 'Whales (and lamps)', size: 11, x: 72, y: 700 }]], '/Title (Lamps)'),
    ]
    const damage = fc.record({
      file: fc.nat(whole.length - 1),
      flips: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 12 }),
      end: fc.option(fc.nat()),
    })
    const codes = new Set(['ASOF_EXTRACT_FAILED', 'ASOF_EXTRACT_TOO_LARGE', 'ASOF_UNSUPPORTED_TYPE'])
    await fc.assert(
      fc.asyncProperty(damage, async ({ file, flips, end }) => {
        const body = Buffer.from(whole[file]!)
        for (const [position, value] of flips) body[position % body.length] = value
        try {
          expectBounds(await extractBody(end === null ? body : body.subarray(0, end % body.length), { url }))
        } catch (error) {
          if (!isAsofError(error) || !codes.has(error.code)) throw error
        }
      }),
      { numRuns: RUNS.documents },
    )
  })
})

/** Returns some pages of each set, evenly distributed over its list. */
function realPages(most: number): Buffer[] {
  return readdirSync(fixtures).flatMap(set => {
    const truth = new URL(`${set}/truth.json`, fixtures)
    if (!existsSync(truth)) return []
    const pages = (JSON.parse(readFileSync(truth, 'utf8')) as { file?: string }[]).flatMap(({ file }) => file ?? [])
    const step = Math.max(1, Math.floor(pages.length / most))
    return pages
      .filter((file, at) => at % step === 0 && file.endsWith('.br'))
      .map(file => brotliDecompressSync(readFileSync(new URL(`${set}/${file}`, fixtures))))
      .filter(page => page.length > 0)
  })
}
