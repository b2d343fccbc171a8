import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DataFolder } from '../../../service/data-folder/index.ts'
import { type LocalDataFolder, openDataFolder, reachDataFolder } from '../../../service/data-folder/index.ts'
import { exportPaymentsOf, performPaymentAct, storePart } from '../../../store/folder/index.ts'

let root: string
let own: LocalDataFolder
let remote: DataFolder
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-store-folder-'))
  own = await openDataFolder(path.join(root, 'data'), { parts: [storePart()] })
  remote = await reachDataFolder(path.join(root, 'data'))
})
afterEach(async () => {
  await remote.close()
  await own.close()
  await rm(root, { recursive: true, force: true })
})

describe('the operations of a store', () => {
  it.each(['none', '__proto__', 'constructor', 'toString'])('have no act %s on payments', async act => {
    for (const folder of [own, remote])
      await expect(performPaymentAct(folder, act as 'list', {})).rejects.toThrow(`there is no act ${act} on payments`)
  })

  it.each([null, 5, { from: 'yesterday' }, { from: 5 }, { to: '2026-13-01' }])('export no days %j', async days => {
    // The first act makes the payments.
    expect(await performPaymentAct(remote, 'list', {})).toEqual([])
    for (const folder of [own, remote])
      await expect(exportPaymentsOf(folder, days as object, () => {})).rejects.toMatchObject({
        kind: 'invalid_request',
      })
  })

  it.each([null, 5, 'list', { 0: 'list' }])('take no arguments %j', async args => {
    for (const folder of [own, remote])
      await expect(folder.operate('payments', args as never)).rejects.toThrow('must be a list')
  })

  it('go on during a backup, which has the payments', async () => {
    await performPaymentAct(remote, 'list', {})
    const [, listed] = await Promise.all([
      remote.backup(path.join(root, 'copy'), {}),
      performPaymentAct(remote, 'list', {}),
    ])
    expect(listed).toEqual([])
    const copy = await openDataFolder(path.join(root, 'copy'), { parts: [storePart()] })
    expect(await performPaymentAct(copy, 'list', {})).toEqual([])
    await copy.close()
  })
})
