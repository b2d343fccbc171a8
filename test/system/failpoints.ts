import { writeSync } from 'node:fs'

/**
 * What happens at the steps that core marks with `failpoint`. Loaded before everything else with `node --import`, in
 * worker threads too. `ASOF_TEST_STEPS` lists `step:pass:action`, where the action is `kill` (SIGKILL, at once) or `fail`
 * (the step throws, as on a full disk); each thread counts its own passes. A step that is hit is told on stdout.
 */
const plans = (process.env.ASOF_TEST_STEPS ?? '')
  .split(',')
  .filter(text => text !== '')
  .map(text => {
    const [step, pass, action] = text.split(':')
    return { step, passesLeft: Number(pass), action }
  })

function reached(step: string): void {
  for (const plan of plans) {
    if (plan.step !== step || --plan.passesLeft !== 0) continue
    writeSync(1, `step ${step}\n`)
    if (plan.action === 'kill') process.kill(process.pid, 'SIGKILL')
    throw new Error(`no space left on device, says the test at ${step}`)
  }
}

Object.assign(globalThis, { [Symbol.for('asof.failpoint')]: reached })
