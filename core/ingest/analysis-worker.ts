import { type AnalysisResult, analyze } from './analyze.ts'
import type { PreparedCapture } from './prepared-capture.ts'

/** The task of the analysis pool's threads. */
export default function analysisTask(captures: PreparedCapture[]): AnalysisResult {
  return analyze(captures)
}
