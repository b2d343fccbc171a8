import type { Receipt } from '../api/wire.ts'
import { count } from '../numbers.ts'
import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'
import { CopyButton } from './copy-as.tsx'

const names = Object.keys(texts.receipt.names)

/** What an answer was made from. Counts that are 0 are left out. */
export function ReceiptTable({ receipt }: { receipt: Receipt }) {
  return (
    <>
      <dl class="facts">
        {names
          .filter(name => receipt[name] !== undefined && receipt[name] !== 0)
          .map(name => (
            <div key={name}>
              <dt>{texts.receipt.names[name]}</dt>
              <dd>
                <Value name={name} value={receipt[name]} />
              </dd>
            </div>
          ))}
      </dl>
      <p class="faint">{texts.receipt.about}</p>
      <CopyButton text={JSON.stringify(receipt)} label={texts.receipt.copy} />
    </>
  )
}

function Value({ name, value }: { name: string; value: unknown }) {
  if ((name === 'instant' || name === 'retainedSince' || name === 'relevanceSince') && typeof value === 'number')
    return <Instant at={value} precision="second" />
  if (typeof value === 'number') return <>{count(value)}</>
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>
}
