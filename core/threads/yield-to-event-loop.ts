import { setImmediate } from 'node:timers/promises'

/** Lets the event loop run once, so that other waiting work comes first. */
export function yieldToEventLoop(): Promise<void> {
  return setImmediate()
}
