import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDataFolder, reachDataFolder } from '../../service/data-folder/index.ts'
import { newName, servers } from './test-cluster.ts'

describe.skipIf(!servers)('a data folder whose index is in a cluster', () => {
  it('keeps accounts itself, shares its index with other folders, uses models, and is opened by one process', async () => {
    const root = await mkdtemp(join(tmpdir(), 'asof-folder-'))
    const cluster = { ...servers!, name: newName() }
    const [one, other] = [join(root, 'one'), join(root, 'other')]
    try {
      const folder = await openDataFolder(one, { cluster, share: true })
      try {
        await folder.engine.add([{ url: 'https://example.com/', text: 'a lamp' }])
        expect(await folder.administer('org.create', { name: 'Example' }, 'test')).toMatchObject({ name: 'Example' })
        await expect(openDataFolder(one, { cluster })).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
        // By the socket of the process that has it open.
        const reached = await reachDataFolder(one, { cluster, share: false })
        expect((await reached.engine.search('lamp')).results).toHaveLength(1)
        await reached.close()
        const second = await openDataFolder(other, { cluster, share: false })
        try {
          expect((await second.engine.search('lamp')).results).toHaveLength(1)
          expect(await second.administer('org.list', {}, 'test')).toEqual([])
        } finally {
          await second.close()
        }
      } finally {
        await folder.close()
      }
      const embeddings = { baseUrl: 'http://127.0.0.1:9', model: 'none' }
      const withModel = await openDataFolder(other, { cluster, embeddings })
      try {
        const { results, warning } = await withModel.engine.search('lamp')
        expect(results).toHaveLength(1)
        expect(warning).toMatch(/answered without vectors/)
      } finally {
        await withModel.close()
      }
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  })

  it.each([true, false])(
    'is held by one process also for commands with the other setting (cluster first: %s)',
    async isFirst => {
      const dir = await mkdtemp(join(tmpdir(), 'asof-folder-'))
      const cluster = { ...servers!, name: newName() }
      const settings = isFirst ? [{ cluster }, {}] : [{}, { cluster }]
      try {
        const holder = await openDataFolder(dir, { ...settings[0], share: true })
        try {
          await expect(openDataFolder(dir, settings[1])).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
          const reached = await reachDataFolder(dir, { ...settings[1], share: false })
          expect(await reached.engine.add([{ url: 'https://example.com/', text: 'a lamp' }])).toMatchObject({
            added: 1,
          })
          await reached.close()
          expect((await holder.engine.search('lamp')).results).toHaveLength(1)
          if (isFirst) await expect(access(join(dir, 'index'))).rejects.toMatchObject({ code: 'ENOENT' })
        } finally {
          await holder.close()
        }
      } finally {
        await rm(dir, { recursive: true, force: true })
      }
    },
  )
})
