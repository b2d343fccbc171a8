import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PaymentSetup } from '../../../../transports/cli/settings/payment-settings.ts'
import { PaymentFolder } from '../../../../transports/service/data-folder/payment-folder.ts'
import { type LocalChain, startChain } from '../payments/local-chain.ts'
import { mmdbFile } from '../payments/mmdb-file.ts'
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

  it('are not taken without a source of regions, and the error names the settings', async () => {
    const error = await open({ off: false })
      .start()
      .catch((reason: Error) => reason)
    expect(String(error)).toMatch(/^UsageError: .*ASOF_GEO_MMDB.*ASOF_GEO_COUNTRY_HEADER.*ASOF_GEO_BLOCK/)
    expect(existsSync(path.join(dir, 'payments'))).toBe(false)
  })

  it('are taken for every region, with a notice, when the operator has said so', async () => {
    const payments = await open({ off: true }).start()
    await payments?.ready()
    expect(notices).toEqual([expect.stringContaining('every region is served')])
  })

  it('are not taken with a database that holds countries alone', async () => {
    const mmdb = path.join(dir, 'places.mmdb')
    await writeFile(mmdb, mmdbFile({ '203.0.113.1': { country: { iso_code: 'CU' } } }, 'GeoLite2-Country'))
    await expect(open({ off: false, mmdb }).start()).rejects.toThrow(/^geo_mmdb .* without subdivisions/)
  })

  it('are not taken with a database of places that is none', async () => {
    const mmdb = path.join(dir, 'places.mmdb')
    await writeFile(mmdb, 'not a database')
    await expect(open({ off: false, mmdb }).start()).rejects.toThrow(/^geo_mmdb \(ASOF_GEO_MMDB\): .* can't be read/)
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
