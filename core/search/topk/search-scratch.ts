import { WindowScores } from '../../kernels/window-scores.ts'
import { BlockBuffers } from '../postings/block-buffers.ts'

/**
 * The large buffers that one search leaves to the next, so that no search allocates them. Whoever answers searches has one,
 * and answers one search at a time.
 */
export class SearchScratch {
  readonly blocks = new BlockBuffers()
  readonly window = new WindowScores()
}
