/** The vitest projects that can find a fault. The name also stands for projects that begin with it, such as `system-alone`. */
export type Suite = 'unit' | 'system'

/** A small mistake in one source file. The code with the mistake still compiles and runs. */
export interface Fault {
  /** A short sentence that says what is wrong. */
  name: string
  /** Path of the source file from the top of the checkout. */
  file: string
  /** Text of the file that occurs exactly once. */
  find: string
  /** The text that takes its place. */
  replace: string
  /**
   * Filters of vitest that name the tests expected to find the fault: folders, files or beginnings of their paths. A filter
   * that matches no file is skipped if another one matches.
   */
  tests: readonly string[]
  /** The project that has these tests. */
  suite: Suite
}
