/** What the processes of the test of deaths write. All of it is stamped by the cluster, so no answer ever changes. */
import type { CaptureInput } from '../../core/index.ts'

/** Number of URLs. All writers share them. */
export const URLS = 30
/** Number of captures in an addition. */
export const BATCH = 3
const words = ['river', 'stone', 'light', 'time', 'engine', 'winter', 'harvest']

export const urlOf = (n: number): string => `https://example.com/${n % URLS}`

/** The captures of one addition of a writer, the same in every process. No two texts are equal. */
export function additionOf(writer: string, number: number): CaptureInput[] {
  return Array.from({ length: BATCH }, (_, i) => {
    const n = number * BATCH + i
    const text = Array.from({ length: 6 }, (_, w) => words[(n * (w + 3) + w * w) % words.length]).join(' ')
    return { url: urlOf(n * 7), title: `Page ${words[n % words.length]}`, text: `${text} ${writer}x${n}` }
  })
}

/** The URL that a writer removes after an addition; undefined if it removes none. */
export const removalAfter = (number: number): string | undefined => (number % 7 === 3 ? urlOf(number * 11) : undefined)

/** Queries as of any instant. */
export const queries = [
  'river stone',
  '"stone light"',
  'winter -harvest',
  'time engine',
  'page light',
  'site:example.com river',
]
