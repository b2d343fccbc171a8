/**
 * Number of random histories that each property plays. `npm test` plays a few, in memory, with another seed each time; `npm run test:system`
 * plays many, in folders. A nightly run sets `ASOF_TEST_HISTORIES`.
 */
export const histories = Number(process.env.ASOF_TEST_HISTORIES ?? 3)

/** The seed of random histories, so that a failure can be repeated. */
export const seed = Number(process.env.ASOF_TEST_SEED ?? Date.now() % 2 ** 31)

/** True if histories are played into folders on disk instead of memory. */
export const inFolders = process.env.ASOF_TEST_FOLDERS === '1'
