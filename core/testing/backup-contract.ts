import { deepEqual, equal } from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ContractIt,
  found,
  type OpenBackup,
  page,
  rejectsWith,
  SECOND_MS,
  START_AT,
  testUrl,
} from './test-engines.ts'

export function backupContract(it: ContractIt, openBackup: OpenBackup): void {
  it('copies an index that answers as of its instant, and earlier, as the original does', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    engines.now += SECOND_MS
    await engine.add([page('a', 'red wolf'), page('b', 'red panda')])
    const dir = join(await engines.folder(), 'copy')
    const { instant, captures, urls } = await engine.backup(dir)
    deepEqual([instant, captures, urls], [engines.now, 3, 2])
    const copy = engines.closeLater(await openBackup(dir, { now: () => engines.now }))
    deepEqual(await copy.page(testUrl('a')), await engine.page(testUrl('a')))
    for (const queryTime of [START_AT, instant])
      deepEqual(await found(copy, 'red', queryTime), await found(engine, 'red', queryTime))
  })

  it('does not copy captures that are added later', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    const dir = join(await engines.folder(), 'copy')
    await engine.backup(dir)
    await engine.add([page('b', 'red panda')])
    const copy = engines.closeLater(await openBackup(dir, { now: () => engines.now }))
    equal((await copy.stats()).captures, 1)
  })

  it('rejects a folder that is not empty', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    const dir = join(await engines.folder(), 'taken')
    await mkdir(dir)
    await writeFile(join(dir, 'file'), '')
    await rejectsWith('ASOF_BACKUP_TARGET', () => engine.backup(dir))
  })
}
