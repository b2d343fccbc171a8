import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { decodeBody } from '../../extract/encoding/charset.ts'
import { extractPage } from '../../extract/extract-page.ts'
import { bytesOf, pagesOf, type SetPage, sampleOf } from './page-sets.ts'
import { openChromium, showPage } from './shown-page.ts'
import { type ComparedPage, visibleReport } from './visible-report.ts'
import { compareWords } from './word-comparison.ts'

const visibleHelp = `npm run bench -- visible [options]

Compares the words that Chromium shows of HTML pages, without scripts and network, with the words of their Markdown: words of
the Markdown that are invisible, by reason, and visible words of the main content that are missing, by the rule that dropped
them. Needs Chromium. The page sets are not part of this repository.

  --fixtures DIR   page sets, each with a truth.json (../shared/fixtures)
  --pages N        maximum number of pages per set, evenly spread (all)
  --words          also print the first words of each kind
  --out FILE       also write the report to FILE`

/** Number of pages after which Chromium is started again, because it keeps memory of closed pages. */
const PAGES_PER_BROWSER = 200

/** The suite `visible`: visible words against the words of the Markdown. See {@link visibleHelp}. */
export async function visible(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      fixtures: { type: 'string', default: join(import.meta.dirname, '..', '..', '..', 'shared', 'fixtures') },
      pages: { type: 'string', default: 'Infinity' },
      words: { type: 'boolean', default: false },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(visibleHelp)
    return
  }
  if (!existsSync(values.fixtures)) throw new RangeError(`--fixtures: ${values.fixtures} does not exist`)
  const limit = Number(values.pages)
  if (!(limit >= 1)) throw new RangeError(`--pages must be a number of at least 1, not "${values.pages}"`)
  const report = visibleReport(await comparePages(sampleOf(pagesOf(values.fixtures), limit)), values)
  console.log(report)
  if (values.out !== undefined) writeFileSync(values.out, `${report}\n`)
}

async function comparePages(pages: readonly SetPage[]): Promise<ComparedPage[]> {
  const compared: ComparedPage[] = []
  for (let from = 0; from < pages.length; from += PAGES_PER_BROWSER) {
    console.error(`… ${from} of ${pages.length} pages`)
    const browser = await openChromium()
    try {
      const context = await browser.newContext({ javaScriptEnabled: false })
      for (const page of pages.slice(from, from + PAGES_PER_BROWSER)) {
        const body = bytesOf(page)
        const contentType = page.headers?.['content-type']
        try {
          const shown = await showPage(context, decodeBody(body, contentType))
          const { markdown, explanation } = extractPage(body, { url: page.url, contentType, explain: true })
          const dropped = explanation?.dropped ?? []
          compared.push({ page, comparison: compareWords(shown, { markdown, dropped, body: page.body }) })
        } catch (error) {
          compared.push({ page, error: String(error).slice(0, 200) })
        }
      }
    } finally {
      await browser.close()
    }
  }
  return compared
}
