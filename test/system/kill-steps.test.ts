import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { open, repair } from '../../core/index.ts'
import { manifestKey } from '../../core/store/keys.ts'
import { answersOf, copied, historyOf, play, tamper } from '../core/repair/written-history.ts'
import { randomNumbers } from './kill-nine-script.ts'
import { type Death, StepSubject } from './kill-steps-subject.ts'

const seed = Number(process.env.ASOF_TEST_SEED ?? Date.now() % 2 ** 31)
/** Kills of the whole file. */
const KILLS = Number(process.env.ASOF_TEST_KILLS ?? 540)
/** Folders that are lived in at the same time. */
const LANES = 2
const SLICE = 90
/** A step is where a life ends the first to the so-manieth time that it is reached, each in its turn. */
const PASSES = 3
/** A random death comes at most this long after a life has begun to open its index. */
const MAX_LIFE_MS = 300

/** What must happen before a step can be reached: lives, or failures in the same life, before it. */
const leadsTo: Readonly<Record<string, (step: string, pass: number) => Death[]>> = {
  recover: (step, pass) => [
    { steps: `write-${(pass % 2) + 1}-${pass % 2 ? 'end' : 'begin'}:${pass + 2}:fail,${step}:1:kill` },
  ],
  'open-3': step => [{ steps: 'merge-4-ready-to-swap:1:kill' }, { steps: `${step}:1:kill` }],
  'open-4': step => [{ steps: 'merge-4-ready-to-swap:1:kill' }, { steps: `${step}:1:kill` }],
  open: step => [{ steps: `${step}:1:kill` }],
  backup: step => [{ steps: `${step}:1:kill`, withBackups: true }],
}

/** Steps of a repair, which another test takes. */
const isOfRepair = (step: string): boolean => step.startsWith('repair-')

/** Steps of retention, which changes what an index knows of the past: they have a folder of their own. */
const isOfRetention = (step: string): boolean => /^(retire|erase)-/.test(step)
const RETAINED_ROUNDS = 5

function deathsAt(step: string, anyPass: number): Death[] {
  // A life has few of these.
  const pass = step.startsWith('purge') || step === 'merge-9-compacted' ? 1 : anyPass
  const prefix = Object.keys(leadsTo).find(start => step.startsWith(start))
  return prefix === undefined ? [{ steps: `${step}:${pass}:kill` }] : leadsTo[prefix]!(step, pass)
}

/** Every step that core marks. */
async function markedSteps(): Promise<string[]> {
  const core = path.join(import.meta.dirname, '../../core')
  const steps = new Set<string>()
  for (const name of await readdir(core, { recursive: true })) {
    if (!name.endsWith('.ts')) continue
    for (const [, step] of (await readFile(path.join(core, name), 'utf8')).matchAll(/failpoint\('([^']+)'\)/g))
      steps.add(step!)
  }
  return [...steps].sort()
}

const steps = await markedSteps()

describe(`kill -9 at every step of writing (seed ${seed})`, () => {
  const hit = new Set<string>()
  const slices = Math.ceil(KILLS / SLICE)
  const perStep = Math.max(1, Math.floor(KILLS / 2 / steps.length / slices))

  for (let slice = 0; slice < slices; slice++)
    it(`loses nothing acknowledged and changes no earlier answer, kills ${slice * SLICE + 1} and on`, async () => {
      const random = randomNumbers(seed + slice)
      const wanted = Math.min(SLICE, KILLS - slice * SLICE)
      const plansOf = (some: readonly string[]): Death[][] =>
        some.flatMap(step => Array.from({ length: perStep }, (_, i) => deathsAt(step, 1 + ((slice + i) % PASSES))))
      const atSteps = plansOf(steps.filter(step => !isOfRetention(step) && !isOfRepair(step)))
      const dir = await mkdtemp(path.join(tmpdir(), 'asof-steps-'))
      try {
        const lanes = Array.from({ length: LANES }, (_, lane) => {
          const subject = new StepSubject(path.join(dir, `lane${lane}`), seed + slice * LANES + lane)
          return { subject, plans: atSteps.filter((_, i) => i % LANES === lane) }
        })
        const retaining = new StepSubject(path.join(dir, 'retaining'), seed + SLICE * LANES + slice, RETAINED_ROUNDS)
        lanes.push({ subject: retaining, plans: plansOf(steps.filter(isOfRetention)) })
        const killed = (): number => lanes.reduce((total, { subject }) => total + subject.kills, 0)
        const lived = await Promise.allSettled(
          lanes.map(async ({ subject, plans }) => {
            while (plans.length > 0 || (killed() < wanted && subject.retainedRounds === 0))
              await subject.live(plans.shift() ?? [{ afterMs: random() * MAX_LIFE_MS }])
          }),
        )
        // The folder goes only when nobody lives in it any more.
        for (const life of lived) if (life.status === 'rejected') throw life.reason
        for (const { subject } of lanes) {
          expect(await subject.overwritten()).toEqual([])
          for (const step of subject.stepsHit) hit.add(step)
          console.log(
            `${subject.kills} kills, ${subject.model.captures.length} captures, ${subject.answersAskedAgain} answers asked ` +
              `again, unacknowledged: ${subject.kept} there, ${subject.lost} not`,
          )
        }
        expect(killed()).toBeGreaterThanOrEqual(wanted)
      } finally {
        await rm(dir, { recursive: true, force: true })
      }
    })

  it.each(steps.filter(isOfRepair))('leaves the damaged index or the repaired one at %s', async step => {
    const dir = await mkdtemp(path.join(tmpdir(), 'asof-repair-'))
    try {
      const events = historyOf(seed, { sessions: 1, perSession: 20 }).flat()
      await play(dir, events)
      await tamper(dir, database => database.put(manifestKey, Buffer.from('damaged')))
      const whole = await copied(dir, `${dir}-whole`)
      await repair(whole)
      const child = spawn(
        process.execPath,
        [
          '--import',
          path.join(import.meta.dirname, 'failpoints.ts'),
          path.join(import.meta.dirname, '../../transports/cli/main.ts'),
          'doctor',
          '--repair',
          '--data',
          dir,
        ],
        { env: { ...process.env, ASOF_TEST_STEPS: `${step}:1:kill` }, stdio: 'ignore' },
      )
      expect((await once(child, 'close'))[1]).toBe('SIGKILL')
      if (step < 'repair-4') {
        await expect(open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
        await repair(dir)
      }
      expect(await answersOf(dir, events)).toEqual(await answersOf(whole, events))
      expect((await readdir(dir)).filter(name => name.startsWith('index.'))).toEqual(['index.damaged-1'])
    } finally {
      for (const folder of [dir, `${dir}-whole`]) await rm(folder, { recursive: true, force: true })
    }
  })

  it('has reached every step that core marks', () => {
    expect([...hit].sort()).toEqual(steps.filter(step => !isOfRepair(step)))
  })
})
