import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { copyLedgers } from '../../../service/data-folder/ledger-copy.ts'
import { PaymentFolder, type RegionSettings } from '../../../store/folder/payment-folder.ts'
import { type LocalChain, startChain } from '../payments/local-chain.ts'
import { mmdbFile } from '../payments/mmdb-file.ts'
import { settingsOver } from '../payments/paid-server.ts'
import { placeIn } from './folder-place.ts'

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

/** The payments of a folder that is set up to take them if `regions` is given; `null` names no source of regions. */
function open(regions?: RegionSettings | null): PaymentFolder {
  const setup = { settings: settingsOver(chain), regions: regions ?? undefined }
  const place = placeIn(dir, line => notices.push(line))
  folder = new PaymentFolder(place, regions === undefined ? undefined : setup)
  return folder
}

describe('the payments of a data folder', () => {
  it('are not taken and leave nothing on disk if they are not set up', async () => {
    expect(await open().start()).toBeUndefined()
    expect(existsSync(path.join(dir, 'payments'))).toBe(false)
  })

  it('rejects a setup without a source of regions', async () => {
    await expect(open(null).start()).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      message: expect.stringMatching(/^payments\.regions: .*\{ database \}.* headers.* 'off'/),
    })
    expect(existsSync(path.join(dir, 'payments'))).toBe(false)
  })

  it('are taken in every region, with a notice, if the operator turned the check of regions off', async () => {
    const payments = await open('off').start()
    await payments?.ready()
    expect(notices).toEqual([expect.stringContaining('every region is served')])
  })

  it('rejects a database of countries without subdivisions', async () => {
    const database = path.join(dir, 'places.mmdb')
    await writeFile(database, mmdbFile({ '203.0.113.1': { country: { iso_code: 'CU' } } }, 'GeoLite2-Country'))
    await expect(open({ database }).start()).rejects.toThrow(/^payments\.regions\.database: .* without subdivisions/)
  })

  it('rejects a file that is not a database of places', async () => {
    const database = path.join(dir, 'places.mmdb')
    await writeFile(database, 'not a database')
    await expect(open({ database }).start()).rejects.toThrow(/^payments\.regions\.database: .* can't be read/)
  })

  it('are listed, reconciled, exported and copied', async () => {
    const opened = open('off')
    await opened.start()
    expect(await opened.act('list', {})).toEqual([])
    expect(await opened.act('totals', {})).toEqual([])
    expect(await opened.act('reconcile', {})).toEqual({ checked: 0, settled: 0, failed: 0, undecided: 0 })
    const payments: object[] = []
    await opened.export({}, payment => {
      payments.push(payment)
    })
    expect(payments).toEqual([])
    const ledger = await opened.openOwn()
    await copyLedgers([ledger!], path.join(dir, 'copy'))
    expect(existsSync(path.join(dir, 'copy', 'payments', 'CURRENT'))).toBe(true)
  })
})
