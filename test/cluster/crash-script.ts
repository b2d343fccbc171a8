import type { CaptureInput } from '../../core/index.ts'

export const FIRST_AT = Date.UTC(2024, 0, 1)
/** Number of captures in a batch. */
export const BATCH = 5
const words = ['river', 'stone', 'light', 'time', 'engine', 'winter', 'harvest']

/**
 * The captures of one batch of a history, the same in every process. They come from few pages, so that most supersede another one; one
 * in three batches declares the past.
 */
export function batchOf(number: number): CaptureInput[] {
  return Array.from({ length: BATCH }, (_, i) => {
    const n = number * BATCH + i
    const text = Array.from({ length: 6 }, (_, w) => words[(n * (w + 3) + w * w) % words.length]).join(' ')
    const at = number % 3 === 2 ? number - 2 : number
    return {
      url: `https://example.com/${(n * 7) % 40}`,
      title: `Page ${words[n % words.length]}`,
      text: `${text} ${n}`,
      acquiredAt: FIRST_AT + at * 1000 + i,
    }
  })
}
