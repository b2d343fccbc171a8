import { vi } from 'vitest'
import { WindowCounts } from '../../../transports/service/index.ts'

/** Seconds that a window of a rate limit lasts once it is held. */
export const HELD_SECONDS = 600

/** For the rest of a test every window of a rate limit outlasts it: a slow machine could spread its calls over several. */
export function holdWindows(): void {
  vi.spyOn(WindowCounts.prototype, 'durationMs', 'get').mockReturnValue(HELD_SECONDS * 1_000)
}
