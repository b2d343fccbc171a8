import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { copyLedgers } from '../../../service/data-folder/ledger-copy.ts'
import { Journal } from '../../../service/records/journal.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-ledgers-'))
})
afterEach(async () => {
  await rm(dir, { recursive: true })
})

/** The steps of a sale, in their order: the ledger and the key of each record. */
const steps = [
  ['purchases', 'begun'],
  ['payments', 'settling'],
  ['payments', 'settled'],
  ['access', 'granted'],
  ['purchases', 'complete'],
  ['payments', 'delivered'],
] as const

const ledgers = ['purchases', 'access', 'payments'] as const

it('copies ledgers that are written meanwhile as of one point: no step without the steps before it', async () => {
  const open = (name: string) => Journal.open(path.join(dir, name), () => {})
  const journals = {
    purchases: await open('purchases'),
    access: await open('access'),
    payments: await open('payments'),
  }
  let isSelling = true
  let sold = 0
  const sell = async (buyer: number) => {
    for (let sale = 0; isSelling; sale++) {
      for (const [ledger, step] of steps) await journals[ledger].commit([[`${step}/${buyer}-${sale}`, sale]])
      sold++
    }
  }
  const buyers = Promise.all(Array.from({ length: 10 }, (_, buyer) => sell(buyer)))
  const own = ledgers.map(name => ({
    dirIn: (to: string) => path.join(to, name),
    snapshot: () => journals[name].snapshot(),
  }))
  const copies = 5
  for (let copy = 0; copy < copies; copy++) await copyLedgers(own, path.join(dir, `copy-${copy}`))
  isSelling = false
  await buyers
  expect(sold).toBeGreaterThan(copies)
  let unfinished = 0
  const missing: string[] = []
  for (let copy = 0; copy < copies; copy++) {
    const keys = new Set<string>()
    for (const name of ledgers) {
      const copied = await Journal.open(path.join(dir, `copy-${copy}`, name), () => {})
      for await (const [key] of copied.records()) keys.add(key)
      await copied.close()
    }
    for (const key of keys) {
      const [step, sale] = key.split('/')
      const at = steps.findIndex(([, name]) => name === step)
      const before = `${steps[at - 1]?.[1]}/${sale}`
      if (at > 0 && !keys.has(before)) missing.push(`${key} without ${before}`)
      if (at === 0 && !keys.has(`delivered/${sale}`)) unfinished++
    }
  }
  expect(missing).toEqual([])
  // The copies were made in the middle of sales.
  expect(unfinished).toBeGreaterThan(0)
  for (const journal of Object.values(journals)) await journal.close()
})

it('copies what a folder has, and leaves out what it has not', async () => {
  const journal = await Journal.open(path.join(dir, 'payments'), () => {})
  await journal.commit([['a', 1]])
  const own = { dirIn: (to: string) => path.join(to, 'payments'), snapshot: () => journal.snapshot() }
  const moved = { dirIn: (to: string) => path.join(to, 'access'), snapshot: () => undefined }
  await copyLedgers([moved, own], path.join(dir, 'copy'))
  await journal.commit([['a', 2]])
  const copied = await Journal.open(path.join(dir, 'copy', 'payments'), () => {})
  expect(copied.read('a')).toBe(1)
  await copied.close()
  await journal.close()
})
