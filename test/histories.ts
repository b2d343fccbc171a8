import { casesOf } from './cases.ts'

/**
 * Number of random histories that each property plays. `npm test` plays a few, in memory, with another seed each time; `npm run test:system`
 * plays many, in folders.
 */
export const histories = casesOf(24)

/** The seed of random histories, so that a failure can be repeated. */
export const seed = Number(process.env.ASOF_TEST_SEED ?? Date.now() % 2 ** 31)

/** True if histories are played into folders on disk instead of memory. */
export const inFolders = process.env.ASOF_TEST_FOLDERS === '1'
