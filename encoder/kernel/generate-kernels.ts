/** Compiles the C sources of this folder to `<name>.generated.ts`. Run: `npm run build:kernels`. */
import { KernelSources, sharedMemory } from '../../packaging/kernel-sources.ts'
import { denseModes, TILE_ROWS } from './kernel-numbers.ts'

/** The C sources of this folder. */
export const kernelSources = new KernelSources(import.meta.dirname, sharedMemory, { TILE_ROWS, ...denseModes })

if (import.meta.main) kernelSources.generate()
