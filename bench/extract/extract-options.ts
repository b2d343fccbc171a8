import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ExtractorName, extractorNames } from './extractor.ts'

export interface ExtractOptions {
  extractors: ExtractorName[]
  /** Folder with the scoring tools. */
  tools: string
  /** Folder with the page sets. */
  fixtures: string
  /** Pages taken of each set at most. */
  pages?: number
  /** Pages of each set whose speed is measured. */
  speedPages: number
  out?: string
}

/** Page sets and scoring tools that a checkout may have beside it. */
const shared = join(import.meta.dirname, '..', '..', '..', 'shared')

export const extractHelp = `npm run bench -- extract [options]

Extracts pages whose truth is known with asof and its rivals, scores content, dates, authors and titles, and measures
pages a second of processor time. The page sets and the scoring tools (extract-score.mjs, extract-speed.mjs) are not part
of this repository.

  --extractors A,B    ${extractorNames.join(', ')} (all)
  --fixtures DIR      page sets, each with a truth.json (../shared/fixtures)
  --tools DIR         the scoring tools (../shared/tools)
  --pages N           at most so many of each set (all)
  --speed-pages N     of each set, for speed (100)
  --out FILE          writes the report there too, before what was learnt (its last part, by hand); the one in the
                      repository is bench/EXTRACTION.md`

/** Reads the options of the suite; `undefined` when help was asked for. */
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
  if (unknown !== undefined) throw new RangeError(`--extractors knows ${extractorNames.join(', ')}, not ${unknown}`)
  for (const [option, path] of [
    ['--fixtures', values.fixtures],
    ['--tools', join(values.tools, 'extract-score.mjs')],
  ]) {
    if (!existsSync(path)) throw new RangeError(`${option}: ${path} is not there`)
  }
  return {
    extractors: extractorNames.filter(name => wanted.includes(name)),
    fixtures: values.fixtures,
    tools: values.tools,
    speedPages: wholeNumber('--speed-pages', values['speed-pages']),
    ...(values.pages !== undefined && { pages: wholeNumber('--pages', values.pages) }),
    ...(values.out !== undefined && { out: values.out }),
  }
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1) throw new RangeError(`${option} takes a whole number above 0`)
  return number
}
