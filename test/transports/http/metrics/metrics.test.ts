import { expect, it, vi } from 'vitest'
import { Metrics } from '../../../../transports/http/metrics/metrics.ts'

it('further servers of a process add no timers, and have the metrics of the process too', async () => {
  const first = new Metrics({}, () => 0)
  const added = vi.spyOn(globalThis, 'setInterval')
  const second = new Metrics({}, () => 0)
  expect(added).not.toHaveBeenCalled()
  for (const metrics of [first, second]) {
    const text = await metrics.text()
    expect(text).toContain('nodejs_eventloop_utilization_summary_count ')
    expect(text).toContain('asof_work_under_way 0')
    expect((await metrics.list()).map(({ name }) => name)).toContain('process_resident_memory_bytes')
  }
})
