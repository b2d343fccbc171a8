import { type FileHandle, open, rename } from 'node:fs/promises'
import type { Command } from 'commander'
import { type PaymentActName, paymentActs } from '../../service/payments/payment-acts.ts'
import { commandContext, withData } from '../command-context.ts'
import { accountText } from '../output/account-text.ts'
import { requestForm } from '../request-form.ts'
import type { Flags } from '../settings/settings.ts'
import { UsageError } from '../usage-error.ts'

const data = ['--data <dir>', 'data folder (env ASOF_DATA, default ./data)'] as const
const json = ['--json', 'print one JSON document'] as const
const days = [
  ['--from <day>', 'from this day on, UTC, such as 2026-11-22'],
  ['--to <day>', 'up to and with this day'],
] as const

const acts: Readonly<
  Record<PaymentActName, { description: string; options: readonly (readonly [flags: string, text: string])[] }>
> = {
  list: {
    description: 'list payments, oldest first',
    options: [
      ...days,
      ['--state <state>', 'reserved, served, settled, failed or unknown alone'],
      ['--limit <n>', 'lines at most, up to 1000; default 100'],
    ],
  },
  totals: { description: 'what was settled on each day, UTC', options: days },
  reconcile: { description: 'ask the chain about payments whose outcome is not known', options: [] },
}

async function createFile(out: string): Promise<FileHandle> {
  try {
    return await open(`${out}.partial`, 'w', 0o600)
  } catch (cause) {
    throw new UsageError(`${out} can't be written`, { cause })
  }
}

function addExport(group: Command): void {
  const command = group.command('export').description('write payments as JSON lines, oldest first')
  for (const [flags, text] of [...days, ['--out <file>', 'write there; default: standard output'], data] as const) {
    command.option(flags, text)
  }
  command.action(async ({ out, ...flags }: Flags & { out?: string }) => {
    const input = paymentActs.totals.parseForm(requestForm(paymentActs.totals.input, flags))
    const context = await commandContext(flags)
    const file = out === undefined ? undefined : await createFile(out)
    let written = 0
    await withData(context, folder =>
      folder.exportPayments(input, async payment => {
        written += 1
        const line = JSON.stringify(payment)
        if (file) await file.write(`${line}\n`)
        else context.print(line)
      }),
    )
    if (!file || out === undefined) return
    await file.sync()
    await file.close()
    await rename(`${out}.partial`, out)
    context.print(`${written} payments are in ${out}`)
  })
}

export function addPaymentCommands(program: Command): void {
  const group = program.command('payments').description('payments by x402 that the server took')
  for (const [name, { description, options }] of Object.entries(acts) as [PaymentActName, (typeof acts)['list']][]) {
    const command = group.command(name).description(description)
    for (const [flags, text] of [...options, data, json]) command.option(flags, text)
    command.action(async (flags: Flags) => {
      const input = paymentActs[name].parseForm(requestForm(paymentActs[name].input, flags))
      const context = await commandContext(flags)
      const result = await withData(context, folder => folder.payments(name, input))
      context.print(context.json ? JSON.stringify(result) : accountText(result))
    })
  }
  addExport(group)
}
