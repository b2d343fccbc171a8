import { writeFileSync } from 'node:fs'
import { machine } from '../apparatus/machine.ts'
import manifest from '../package.json' with { type: 'json' }
import { extractHelp, readExtractOptions } from './extract-options.ts'
import { extractReport } from './extract-report.ts'
import { type ExtractorScores, scoresOf } from './extract-scores.ts'
import type { ExtractorName } from './extractor.ts'

const packages = ['@mozilla/readability', 'defuddle', '@extractus/article-extractor', 'linkedom', 'turndown'] as const

/** The suite `extract`: quality and speed of extraction. See {@link extractHelp}. */
export async function extract(args: string[]): Promise<void> {
  const options = readExtractOptions(args)
  if (!options) {
    console.log(extractHelp)
    return
  }
  const all = new Map<ExtractorName, ExtractorScores>()
  for (const name of options.extractors) {
    console.error(`… ${name}`)
    all.set(name, scoresOf(name, options))
  }
  const report = extractReport(all, {
    machine: machine(),
    versions: Object.fromEntries(packages.map(name => [name, manifest.dependencies[name]])),
    command: ['extract', ...args].join(' '),
  })
  console.log(report)
  if (options.out !== undefined) writeFileSync(options.out, `${report}\n`)
}
