/** Compiles the C sources of this folder to `<name>.generated.ts`. Run: `npm run build:kernels`. */
import { KernelSources, ownMemory } from '../../packaging/kernel-sources.ts'
import { BLOCK } from '../bytes/bit-packing.ts'
import { UNDATED } from '../segment/columns/publish-days.ts'
import { INLINE_POSTINGS, STANDING_STORED_FROM } from '../segment/dictionary/dictionary-format.ts'
import { MAX_COUNT_BITS } from '../segment/positions/escaped-counts.ts'
import { MAX_RUN_BITS, WITHOUT_ZEROS, ZERO_BITS } from '../segment/positions/packed-run.ts'
import { WINDOW, WINDOWS_STORED_FROM } from '../segment/postings/window-impacts.ts'
import { IMPACT_STEPS, SATURATION_BASE } from '../segment/ranking-model.ts'
import { ENDING_BITS } from '../text/languages/english-endings.ts'
import { kernelLimits, viewFlags } from './query-record.ts'

/** Numbers that the C sources share with TypeScript: macros of the compiler. */
const shared = {
  BLOCK,
  WINDOW,
  WINDOWS_STORED_FROM,
  INLINE_POSTINGS,
  UNDATED,
  SATURATION_BASE,
  IMPACT_STEPS,
  STANDING_STORED_FROM,
  MAX_COUNT_BITS,
  MAX_RUN_BITS,
  ZERO_BITS,
  WITHOUT_ZEROS,
  PLACE_BITS: ENDING_BITS,
  ...kernelLimits,
  ...viewFlags,
}

/** The C sources of this folder. */
export const kernelSources = new KernelSources(import.meta.dirname, ownMemory, shared)

if (import.meta.main) kernelSources.generate()
