/** Compiles the C sources of this folder to `<name>.generated.ts`. Run: `npm run build:kernels`. */
import { KernelSources, sharedMemory } from '../../packaging/kernel-sources.ts'

/** The C sources of this folder. */
export const kernelSources = new KernelSources(import.meta.dirname, sharedMemory, {})

if (import.meta.main) kernelSources.generate()
