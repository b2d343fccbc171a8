/**
 * The hook of the tests, which can end the process or throw at any named step of a write to disk. Tests set it in a
 * module that is loaded before this one with `node --import`, also in worker threads.
 */
const hook = (globalThis as { [key: symbol]: unknown })[Symbol.for('asof.failpoint')]
const reached = typeof hook === 'function' ? (hook as (step: string) => void) : undefined

/** Marks a step, named `operation-number-what`. Does nothing outside of tests. */
export function failpoint(step: string): void {
  reached?.(step)
}
