import type { CaptureInput } from '../../core/index.ts'

/** Number of pages that all writers change. */
export const SHARED_URLS = 40
const words = ['river', 'stone', 'light', 'time', 'engine', 'winter', 'harvest', 'travel']

/** The captures of one addition of a writer. Each text names its writer and its number, which grows. */
export function sharedAddition(writer: string, number: number, size: number): CaptureInput[] {
  return Array.from({ length: size }, (_, i) => {
    const n = number * size + i
    const text = Array.from({ length: 120 }, (_, w) => words[(n * (w + 3) + w * w) % words.length]).join(' ')
    return { url: `https://example.com/${n % SHARED_URLS}`, text: `${text} ${writer} ${n}` }
  })
}
