import type { Command } from 'commander'
import { type PaymentActName, paymentActs } from '../../../service/payments/payment-acts.ts'
import { commandContext, withData } from '../command-context.ts'
import { accountText } from '../output/account-text.ts'
import { pluralize } from '../output/count-text.ts'
import { NewFile } from '../output/new-file.ts'
import { requestForm } from '../request-form.ts'
import type { OptionText } from '../settings/setting-option.ts'
import type { Flags } from '../settings/settings.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

const days: readonly OptionText[] = [
  ['--from <day>', 'from this day, UTC, such as 2026-11-22 (default: the first)'],
  ['--to <day>', 'through this day, UTC (default: today)'],
]

const acts: Readonly<Record<PaymentActName, { description: string; example: string; options: readonly OptionText[] }>> =
  {
    list: {
      description: 'list payments, oldest first',
      example: 'asof payments list --state unknown',
      options: [
        ...days,
        ['--state <state>', 'only payments in this state: reserved, served, settled, failed or unknown'],
        ['--limit <n>', 'number of payments, 1 to 1000 (default: 100)'],
      ],
    },
    totals: {
      description: 'print the amounts settled on each day, UTC',
      example: 'asof payments totals --from 2026-11-01',
      options: days,
    },
    reconcile: {
      description: 'look up the outcome of unknown payments on the chain',
      example: 'asof payments reconcile',
      options: [],
    },
  }

function addExport(group: Command): void {
  const command = group.command('export').description('export payments as JSONL, oldest first')
  const outOption: OptionText = ['--out <file>', 'write to <file> (default: standard output)']
  for (const option of [...days, outOption, dataOption]) command.option(...option)
  command.addHelpText('after', examples('asof payments export --out payments.jsonl'))
  command.action(async ({ out, ...flags }: Flags & { out?: string }) => {
    const input = paymentActs.totals.parseForm(requestForm(paymentActs.totals.input, flags))
    const context = await commandContext(flags)
    const file = out === undefined ? undefined : await NewFile.create(out)
    let written = 0
    await withData(context, folder =>
      folder.exportPayments(input, async payment => {
        written += 1
        const line = JSON.stringify(payment)
        if (file) await file.write(`${line}\n`)
        else context.print(line)
      }),
    )
    if (!file) return
    await file.finish()
    context.print(`wrote ${pluralize(written, 'payment')} to ${out}`)
  })
}

export function addPaymentCommands(program: Command): void {
  const group = program.command('payments').helpCommand(false).description('payments that the server received (x402)')
  for (const [name, { description, example, options }] of Object.entries(acts) as [
    PaymentActName,
    (typeof acts)['list'],
  ][]) {
    const command = group.command(name).description(description)
    for (const option of [...options, dataOption, jsonOption]) command.option(...option)
    command.addHelpText('after', examples(example))
    command.action(async (flags: Flags) => {
      const input = paymentActs[name].parseForm(requestForm(paymentActs[name].input, flags))
      const context = await commandContext(flags)
      const result = await withData(context, folder => folder.payments(name, input))
      context.print(context.json ? JSON.stringify(result) : accountText(result))
    })
  }
  addExport(group)
}
