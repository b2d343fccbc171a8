/**
 * Named steps of writing to disk, at which a test ends the process or makes the step fail. Nothing in the product sets
 * the hook: a test does, in a module that is loaded before this one (`node --import`, which worker threads inherit).
 */
const hook = (globalThis as { [key: symbol]: unknown })[Symbol.for('asof.failpoint')]
const reached = typeof hook === 'function' ? (hook as (step: string) => void) : undefined

/** Marks a step, as `operation-number-what`. Costs one comparison. */
export function failpoint(step: string): void {
  reached?.(step)
}
