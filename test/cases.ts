/**
 * Share of the random cases of slow tests that this run plays: 1 in `npm run test:system`, an eighth in `npm test`, a tenth in `.ci/run`,
 * and more each night. Set by `ASOF_TEST_CASES`.
 */
const share = Number(process.env.ASOF_TEST_CASES ?? 1)

/** The number of cases to play of a test whose whole run has `count`; at least 1. */
export function casesOf(count: number): number {
  return Math.max(1, Math.ceil(count * share))
}
