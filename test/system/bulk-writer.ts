import { open, type PageSelection } from '../../core/index.ts'

/** Deletes the pages of a site in a data folder, in bulk: `node bulk-writer.ts DIR removeAll|purgeAll`. */
const [dir = '', op] = process.argv.slice(2)
const engine = await open(dir)
const selection: PageSelection = { site: 'big.example' }
await (op === 'purgeAll' ? engine.purgeAll(selection) : engine.removeAll(selection))
await engine.close()
