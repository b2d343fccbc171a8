import { describe } from 'vitest'
import { conformanceSuite, itPasses } from './conformance-suite.ts'
import { conformanceServer } from './conformance-tools.ts'

/** The suite's tools replace asof's behind the same route, because they use parts of the protocol that asof's do not. */
describe("the official conformance suite with the suite's own tools", () => {
  itPasses(conformanceSuite(conformanceServer), [
    ['2026-07-28', 'server-stateless', 28],
    ['2026-07-28', 'http-custom-header-server-validation', 10],
    ['2026-07-28', 'server-sse-multiple-streams', 1],
    ['2026-07-28', 'tools-call-simple-text', 2],
    ['2026-07-28', 'tools-call-mixed-content', 2],
    ['2026-07-28', 'tools-call-embedded-resource', 2],
    ['2026-07-28', 'tools-call-audio', 2],
    ['2026-07-28', 'tools-call-error', 2],
    ['2026-07-28', 'tools-call-with-progress', 2],
    ['2025-11-25', 'tools-call-simple-text', 2],
    ['2025-11-25', 'tools-call-image', 2],
    ['2025-11-25', 'tools-call-error', 2],
    ['2025-11-25', 'tools-call-with-logging', 2],
    ['2025-11-25', 'tools-call-with-progress', 2],
  ])
})
