import { vi } from 'vitest'
import { WindowCounts } from '../../../service/index.ts'

/** Length of a held rate limit window, seconds. */
export const HELD_SECONDS = 600

/** Makes every rate limit window outlast the test. On a slow machine its calls could otherwise fall into several windows. */
export function holdWindows(): void {
  vi.spyOn(WindowCounts.prototype, 'durationMs', 'get').mockReturnValue(HELD_SECONDS * 1_000)
}
