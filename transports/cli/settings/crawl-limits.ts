import type { CrawlLimits } from '../../../service/data-folder/data-folder.ts'
import { UsageError } from '../usage-error.ts'
import type { Flags } from './settings.ts'

function wholeNumber(flags: Flags, name: string, flag: string, min: number): number | undefined {
  const value = flags[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value) || Number(value) < min) {
    throw new UsageError(`--${flag}: must be a whole number, at least ${min}`)
  }
  return Number(value)
}

/** Reads the limits of a crawl from its flags. @throws UsageError - a value is out of range; the message names the flag. */
export function crawlLimits(flags: Flags): CrawlLimits {
  const maxPages = wholeNumber(flags, 'maxPages', 'max-pages', 1)
  const maxDepth = wholeNumber(flags, 'maxDepth', 'max-depth', 0)
  const delayMs = wholeNumber(flags, 'delayMs', 'delay-ms', 0)
  const concurrency = wholeNumber(flags, 'concurrency', 'concurrency', 1)
  return {
    ...(maxPages === undefined ? {} : { maxPages }),
    ...(maxDepth === undefined ? {} : { maxDepth }),
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(concurrency === undefined ? {} : { concurrency }),
  }
}
