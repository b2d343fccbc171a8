/** Computes the missing vectors of a data folder by a model in the process. Writes a line each time that some are on disk. */
import { open } from '../../core/index.ts'
import { localModel } from '../../service/local-models/index.ts'

const [dir = '', folder = '', name = ''] = process.argv.slice(2)
const embed = localModel(name, { folder })
const engine = await open(dir, { embed, searchThreads: 0 })
await engine.embed({ onProgress: ({ embedded }) => console.log(embedded) })
await engine.close()
await embed.close()
