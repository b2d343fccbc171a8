/**
 * Processor time of this thread for what is done, ms: what else the machine has to do does not count. Limits on it are
 * many times what is usual, for processors differ; what they are there to find takes minutes.
 */
export function processorMs(act: () => void): number {
  const before = process.threadCpuUsage()
  act()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
