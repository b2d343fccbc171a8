import { join } from 'node:path'
import { Access } from '../../../service/accounts/index.ts'
import { type LocalDataFolder, openDataFolder } from '../../../service/data-folder/index.ts'
import { createService } from '../../../service/index.ts'
import { createServer, listen, shutDown } from '../../../transports/http/index.ts'
import { noLimits } from './running-server.ts'

/** A server that an administrator can have crawl. */
export interface CrawlingServer {
  url: string
  folder: LocalDataFolder
  close(): Promise<void>
}

/**
 * Starts such a server over a data folder in `dir`.
 *
 * @param allowPrivate - true to let it crawl loopback addresses, where the sites of tests are.
 */
export async function startCrawlingServer(
  dir: string,
  adminToken: string,
  allowPrivate = true,
): Promise<CrawlingServer> {
  const folder = await openDataFolder(join(dir, 'data'), { allowPrivate, share: false, onNotice: () => {} })
  const { engine, readLive, crawls } = folder
  const access = await Access.open(join(dir, 'access'), { now: Date.now })
  const app = createServer(createService(engine, readLive), {
    engine,
    access,
    crawls,
    adminToken,
    keylessLimits: noLimits,
  })
  return {
    url: await listen(app, { host: '127.0.0.1', port: 0 }),
    folder,
    close: async () => {
      await shutDown(app)
      await access.close()
      await folder.close()
    },
  }
}
