import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ExtractorName, extractorNames } from './extractor.ts'

/** Options of the suite `extract`, see {@link extractHelp}. */
export interface ExtractOptions {
  extractors: ExtractorName[]
  /** Folder with the scoring tools. */
  tools: string
  /** Folder with the page sets. */
  fixtures: string
  /** Maximum number of pages per set. */
  pages?: number
  /** Number of pages per set whose speed is measured. */
  speedPages: number
  out?: string
}

/** Default folder of page sets and scoring tools, beside the checkout; it need not exist. */
const shared = join(import.meta.dirname, '..', '..', '..', 'shared')

export const extractHelp = `npm run bench -- extract [options]

Extracts pages with asof and other extractors, scores content, dates, authors and titles against reference data, and measures
pages per CPU second. The page sets and the scoring tools (extract-score.mjs, extract-speed.mjs) are not part of this
repository.

  --extractors A,B    ${extractorNames.join(', ')} (all)
  --fixtures DIR      page sets, each with a truth.json (../shared/fixtures)
  --tools DIR         the scoring tools (../shared/tools)
  --pages N           maximum number of pages per set (all)
  --speed-pages N     number of pages per set whose speed is measured (100)
  --out FILE          also write the report to FILE; the report in the repository is bench/EXTRACTION.md`

/** Parses the options; returns undefined for `--help`. */
export function readExtractOptions(args: string[]): ExtractOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      extractors: { type: 'string' },
      fixtures: { type: 'string', default: join(shared, 'fixtures') },
      tools: { type: 'string', default: join(shared, 'tools') },
      pages: { type: 'string' },
      'speed-pages': { type: 'string', default: '100' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const wanted = values.extractors?.split(',') ?? [...extractorNames]
  const unknown = wanted.find(name => !extractorNames.some(known => known === name))
  if (unknown !== undefined)
    throw new RangeError(`--extractors: unknown name "${unknown}"; use ${extractorNames.join(', ')}`)
  for (const [option, path] of [
    ['--fixtures', values.fixtures],
    ['--tools', join(values.tools, 'extract-score.mjs')],
  ] as const) {
    if (!existsSync(path)) throw new RangeError(`${option}: ${path} does not exist`)
  }
  return {
    extractors: extractorNames.filter(name => wanted.includes(name)),
    fixtures: values.fixtures,
    tools: values.tools,
    speedPages: wholeNumber('--speed-pages', values['speed-pages']),
    pages: values.pages === undefined ? undefined : wholeNumber('--pages', values.pages),
    out: values.out,
  }
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1)
    throw new RangeError(`${option} must be a whole number of at least 1, not "${text}"`)
  return number
}
