/** Compiles the C sources of this folder to `<name>.generated.ts`. Run: `npm run build:kernels`. */
import { KernelSources, sharedMemory } from '../../packaging/kernel-sources.ts'
import { HEAD, MIDDLE } from './row-layout.ts'

/** The C sources of this folder. */
export const kernelSources = new KernelSources(import.meta.dirname, sharedMemory, { HEAD, MIDDLE })

if (import.meta.main) kernelSources.generate()
