import type { Command } from 'commander'
import { exportPaymentsOf, performPaymentAct } from '../../../store/folder/index.ts'
import { type PaymentActName, paymentActs } from '../../../store/payments/payment-acts.ts'
import { commandContext, withData } from '../command-context.ts'
import { addInputOptions, type Flags, requestForm } from '../flags.ts'
import { accountText } from '../output/account-text.ts'
import { writeFiles } from '../output/new-file.ts'
import { pluralize } from '../output/wording.ts'
import type { OptionText } from '../settings/setting.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

const acts: Readonly<Record<PaymentActName, { description: string; example: string }>> = {
  list: { description: 'list payments, oldest first', example: 'asof payment list --state undecided' },
  totals: {
    description: 'print the amounts settled on each day, UTC',
    example: 'asof payment totals --from 2026-11-01',
  },
  reconcile: {
    description: 'look up undecided payments on the chain',
    example: 'asof payment reconcile',
  },
}

function addExport(group: Command): void {
  const command = group.command('export').description('export payments as JSONL, oldest first')
  const outOption: OptionText = ['--out <file>', 'write to <file> (default: standard output)']
  addInputOptions(command, paymentActs.totals.input)
  for (const option of [outOption, dataOption]) command.option(...option)
  command.addHelpText('after', examples('asof payment export --out payments.jsonl'))
  command.action(async ({ out, ...flags }: Flags & { out?: string }) => {
    const input = paymentActs.totals.parseForm(requestForm(paymentActs.totals.input, flags))
    const context = await commandContext(flags)
    let written = 0
    await writeFiles(out === undefined ? [] : [out], ([file]) =>
      withData(context, folder =>
        exportPaymentsOf(folder, input, async payment => {
          written += 1
          const line = JSON.stringify(payment)
          if (file) await file.write(`${line}\n`)
          else context.print(line)
        }),
      ),
    )
    if (out !== undefined) context.print(`wrote ${pluralize(written, 'payment')} to ${out}`)
  })
}

export function addPaymentCommands(program: Command): void {
  const group = program
    .command('payment')
    .helpCommand(false)
    .description('list, sum up and export the payments that the server received (x402)')
  for (const name of Object.keys(acts) as PaymentActName[]) {
    const { description, example } = acts[name]
    const command = group.command(name).description(description)
    addInputOptions(command, paymentActs[name].input)
    for (const option of [dataOption, jsonOption]) command.option(...option)
    command.addHelpText('after', examples(example))
    command.action(async (flags: Flags) => {
      const input = paymentActs[name].parseForm(requestForm(paymentActs[name].input, flags))
      const context = await commandContext(flags)
      const result = await withData(context, folder => performPaymentAct(folder, name, input))
      context.print(context.json ? JSON.stringify(result) : accountText(result))
    })
  }
  addExport(group)
}
