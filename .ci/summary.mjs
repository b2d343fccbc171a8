/**
 * Sums vitest's JSON reports into one closing line. Exits 1 when anything failed, when a report is missing, and when
 * no test ran.
 */
import { existsSync, readFileSync } from 'node:fs'

const totals = { passed: 0, failed: 0, skipped: 0 }
for (const path of process.argv.slice(2)) {
  if (!existsSync(path)) {
    console.log(`no report at ${path}: counted as one failure`)
    totals.failed += 1
    continue
  }
  for (const file of JSON.parse(readFileSync(path, 'utf8')).testResults) {
    const failedBefore = totals.failed
    for (const { status } of file.assertionResults) {
      if (status === 'passed') totals.passed += 1
      else if (status === 'failed') totals.failed += 1
      else totals.skipped += 1
    }
    // A file that could not be loaded has no failed test to its name.
    if (file.status === 'failed' && totals.failed === failedBefore) totals.failed += 1
  }
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0
