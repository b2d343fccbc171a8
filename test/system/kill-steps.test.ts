import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { open, repair } from '../../core/index.ts'
import { manifestKey } from '../../core/store/keys.ts'
import { casesOf } from '../cases.ts'
import { answersOf, copied, historyOf, play, tamper } from '../core/repair/written-history.ts'
import { seed } from '../histories.ts'
import { randomNumbers } from './kill-nine-script.ts'
import { type Death, StepSubject } from './kill-steps-subject.ts'

/** Number of folders in use at the same time. */
const LANES = 2
const SLICE = 90
/** Minimum number of kills in this file: at least one at each step, and the others at random moments. */
const KILLS = Math.max(60, casesOf(270))
/** A run may end before it reaches a step that is seldom reached, so that the kill at it is tried this often. */
const TRIES = 6
/** A run is killed when it reaches a step for the n-th time. n goes from 1 to this number. */
const PASSES = 3
/** A random kill comes at most this long after the writer starts to open the index. */
const MAX_LIFE_MS = 300

/** How to reach steps that not every run reaches: earlier runs, or failures earlier in the same run. */
const leadsTo: Readonly<Record<string, (step: string, pass: number) => Death[]>> = {
  recover: (step, pass) => [
    { steps: `write-${(pass % 2) + 1}-${pass % 2 ? 'end' : 'begin'}:${pass + 2}:fail,${step}:1:kill` },
  ],
  'open-3': step => [{ steps: 'merge-4-ready-to-swap:1:kill' }, { steps: `${step}:1:kill` }],
  'open-4': step => [{ steps: 'merge-4-ready-to-swap:1:kill' }, { steps: `${step}:1:kill` }],
  open: step => [{ steps: `${step}:1:kill` }],
  backup: step => [{ steps: `${step}:1:kill`, withBackups: true }],
}

/** True for steps of a repair and of an upgrade, which have their own tests. */
const isApart = (step: string): boolean => /^(repair|upgrade)-/.test(step)

/** True for steps of retention, which deletes history, so that these runs have their own folder. */
const isOfRetention = (step: string): boolean => /^(expire|delete)-/.test(step)
const RETAINED_ROUNDS = 5

function deathsAt(step: string, anyPass: number): Death[] {
  // A run reaches these steps only a few times.
  const pass = step.startsWith('purge') || step === 'merge-9-compacted' ? 1 : anyPass
  const prefix = Object.keys(leadsTo).find(start => step.startsWith(start))
  return prefix === undefined ? [{ steps: `${step}:${pass}:kill` }] : leadsTo[prefix]!(step, pass)
}

/** Returns the names of all failpoints in `core`. */
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
    it(`loses no acknowledged operation and changes no earlier answer, from kill ${slice * SLICE + 1} on`, async () => {
      const random = randomNumbers(seed + slice)
      const wanted = Math.min(SLICE, KILLS - slice * SLICE)
      const plansOf = (some: readonly string[]): Death[][] =>
        some.flatMap(step => Array.from({ length: perStep }, (_, i) => deathsAt(step, 1 + ((slice + i) % PASSES))))
      const atSteps = plansOf(steps.filter(step => !isOfRetention(step) && !isApart(step)))
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
        // Wait for all runs to end before the folder is deleted, then report the first failure.
        for (const life of lived) if (life.status === 'rejected') throw life.reason
        if (slice === slices - 1) {
          const isHit = (step: string): boolean =>
            hit.has(step) || lanes.some(({ subject }) => subject.stepsHit.has(step))
          for (const step of steps.filter(each => !isApart(each)))
            for (let tries = 0; tries < TRIES && !isHit(step); tries++)
              await (isOfRetention(step) ? retaining : lanes[0]!.subject).live(deathsAt(step, 1))
        }
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

  it.each(steps.filter(step => step.startsWith('repair-')))(
    'leaves either the damaged index or the repaired one when a repair is killed at %s',
    async step => {
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
    },
  )

  it('has reached every failpoint in `core`', () => {
    expect([...hit].sort()).toEqual(steps.filter(step => !isApart(step)))
  })
})
