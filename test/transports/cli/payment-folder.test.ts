import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PaymentFolder } from '../../../transports/cli/payment-folder.ts'
import type { PaymentSetup } from '../../../transports/cli/payment-settings.ts'
import { type LocalChain, startChain } from '../payments/local-chain.ts'
import { settingsOver } from '../payments/paid-server.ts'

let chain: LocalChain
let dir: string
let notices: string[]
let folder: PaymentFolder | undefined

beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.close())
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-payment-folder-'))
  notices = []
})
afterEach(async () => {
  await folder?.close()
  await rm(dir, { recursive: true, force: true })
})

function open(geo?: PaymentSetup['geo']): PaymentFolder {
  const setup = geo && { payments: settingsOver(chain), geo }
  folder = new PaymentFolder({ dir, setup, now: Date.now, onNotice: line => notices.push(line) })
  return folder
}

describe('the payments of a data folder', () => {
  it('are not taken, and leave nothing on disk, where they are not set up', async () => {
    expect(await open().start()).toBeUndefined()
    expect(existsSync(path.join(dir, 'payments'))).toBe(false)
  })

  it('are taken with a word that nobody is kept out, where no source of places is set', async () => {
    const payments = await open({ off: false }).start()
    await payments?.ready()
    expect(notices).toEqual([expect.stringContaining('the geo-block is off')])
  })

  it('are not taken with a database of places that is none', async () => {
    const mmdb = path.join(dir, 'places.mmdb')
    await writeFile(mmdb, 'not a database')
    await expect(open({ off: false, mmdb }).start()).rejects.toThrow(/^geo_mmdb: .* can't be read/)
  })

  it('are listed, reconciled, handed out and copied', async () => {
    const opened = open({ off: true })
    await opened.start()
    expect(await opened.act('list', {})).toEqual([])
    expect(await opened.act('totals', {})).toEqual([])
    expect(await opened.act('reconcile', {})).toEqual({ checked: 0, settled: 0, failed: 0, unknown: 0 })
    const payments: object[] = []
    await opened.export({}, payment => {
      payments.push(payment)
    })
    expect(payments).toEqual([])
    await opened.copyTo(path.join(dir, 'copy'))
    expect(existsSync(path.join(dir, 'copy', 'payments', 'CURRENT'))).toBe(true)
  })
})
