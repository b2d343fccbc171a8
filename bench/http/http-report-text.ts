import type { Machine } from '../apparatus/machine.ts'
import { count, megabytes, milliseconds, table } from '../apparatus/text-table.ts'
import { type Lane, type LaneFigures, lanes, type OverheadFigures } from './http-overhead.ts'
import type { SoakFigures } from './http-soak.ts'
import type { LoadFigures } from './load.ts'

/** Target for the median overhead of the transport. */
const OVERHEAD_TARGET_MS = 0.3
/** Target for the median time by which a call on a plan takes longer than a call with a key. */
const PLAN_TARGET_MS = 0.3

/** Everything that one run measured; the content of `--json`. */
export interface HttpReport {
  command: string
  machine: Machine
  about: string
  pages: number
  queries: number
  connections: number
  overhead: OverheadFigures
  load: LoadFigures
  /** Number of successful calls with a key, and the credits that the ledger drew for them. */
  ledger: { answered: number; charged: number }
  soak?: SoakFigures
}

function statuses({ answers }: LoadFigures): string {
  return Object.entries(answers)
    .map(([sender, byStatus]) => {
      const counts = Object.entries(byStatus).map(([status, number]) => `${status} × ${count(number)}`)
      return `${sender}: ${counts.join(', ')}`
    })
    .join('; ')
}

function loadRow(name: string, { rate, p50Ms, p95Ms, p99Ms, errors, unclean }: LoadFigures): string[] {
  return [name, count(rate), ...[p50Ms, p95Ms, p99Ms].map(milliseconds), count(errors), count(unclean)]
}

function ledgerLine({ answered, charged }: HttpReport['ledger']): string {
  const verdict = answered === charged ? 'exact' : 'NOT EXACT'
  return `ledger: ${count(answered)} answers with a key, ${count(charged)} credits charged: ${verdict}`
}

/** Returns one row: the figure of each lane without a charge, then the difference between asof and each other lane. */
function laneRow(name: string, figure: keyof LaneFigures, overhead: OverheadFigures): string[] {
  const { engine, socket, bare, http } = figuresOf(figure, overhead)
  return [name, ...[engine, socket, bare, http, http - engine, http - socket, http - bare].map(milliseconds)]
}

/** Returns one row: the figure of each lane with a charge, and its difference to the lane without a charge. */
function chargedRow(name: string, figure: keyof LaneFigures, overhead: OverheadFigures): string[] {
  const { http, keyed, plan } = figuresOf(figure, overhead)
  return [name, ...[http, keyed, plan, keyed - http, plan - keyed].map(milliseconds)]
}

function figuresOf(figure: keyof LaneFigures, overhead: OverheadFigures): Record<Lane, number> {
  return Object.fromEntries(lanes.map(lane => [lane, overhead[lane][figure]])) as Record<Lane, number>
}

/** Prints the report as text tables. */
export function printHttpReport(report: HttpReport): void {
  const { machine, overhead, load, soak } = report
  console.log(report.command)
  console.log(
    `machine      ${machine.processor}, ${machine.cores} cores, ${machine.system}, Node ${machine.node}, ${machine.commit}`,
  )
  console.log(`corpus       ${count(report.pages)} ${report.about}`)
  console.log(
    `queries      ${report.queries}, mode realtime, ten results with snippets; load generator on the same machine`,
  )

  const { socket, http } = overhead
  const verdict = http.p50Ms - socket.p50Ms <= OVERHEAD_TARGET_MS ? 'within' : 'OVER'
  console.log('\nOne search at a time, milliseconds')
  console.log(
    table(
      [
        '',
        'engine.search',
        'over a socket',
        'bare node:http',
        'asof over HTTP',
        'asof − engine',
        'asof − socket',
        'asof − bare',
      ],
      [
        laneRow('median', 'p50Ms', overhead),
        laneRow('CPU of the server', 'cpuMs', overhead),
        laneRow('CPU of its main thread', 'mainThreadCpuMs', overhead),
      ],
    ),
  )
  console.log(`  HTTP, validation, limits and JSON at the median: ${verdict} the target of ${OVERHEAD_TARGET_MS} ms`)

  const planVerdict = overhead.plan.p50Ms - overhead.keyed.p50Ms <= PLAN_TARGET_MS ? 'within' : 'OVER'
  console.log('\nOne charged search at a time, milliseconds; the charge is on disk before the answer')
  console.log(
    table(
      ['', 'without a key', 'with a key', 'on a plan', 'key − no key', 'plan − key'],
      [
        chargedRow('median', 'p50Ms', overhead),
        chargedRow('CPU of the server', 'cpuMs', overhead),
        chargedRow('CPU of its main thread', 'mainThreadCpuMs', overhead),
      ],
    ),
  )
  console.log(`  a plan beside a key at the median: ${planVerdict} the target of ${PLAN_TARGET_MS} ms`)

  console.log(`\nLoad from ${report.connections} connections, with and without a key by turns; milliseconds`)
  const heads = ['', 'searches/s', 'p50', 'p95', 'p99', 'errors', 'unclean']
  const rows = [loadRow('capacity', load)]
  if (soak) rows.push(loadRow('overload', soak.load))
  console.log(table(heads, rows))
  console.log(`  capacity  ${statuses(load)}`)
  console.log(`  capacity  ${ledgerLine(report.ledger)}`)
  if (!soak) return
  console.log(`  overload  ${count(soak.offeredRate)} requests a second for ${soak.minutes.toFixed(1)} min`)
  console.log(`  overload  ${statuses(soak.load)}`)
  console.log(`  overload  ${ledgerLine(soak.ledger)}`)
  console.log(
    `  overload  memory: ${megabytes(soak.memoryEarlyBytes)} MB in the second quarter, ${megabytes(soak.memoryLateBytes)} MB in the last`,
  )
}
