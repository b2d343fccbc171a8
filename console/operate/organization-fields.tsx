import type { Organization } from '../api/wire.ts'
import { texts } from '../texts.ts'
import { Field, Switch } from './form.tsx'

/** The settings of an organization as fields of a form. */
export function OrganizationFields({ of }: { of?: Organization }) {
  const { names } = texts.access
  return (
    <>
      <Field label={names.name} name="name" value={of?.name ?? ''} />
      <Field
        label={names.allowance}
        name="allowance"
        type="number"
        min={0}
        max={1_000_000_000}
        value={of?.allowance ?? 1_000}
      />
      <Field
        label={names.rateLimit}
        name="rate_limit"
        type="number"
        min={1}
        max={1_000_000}
        value={of?.rate_limit ?? 50}
      />
      <Switch label={texts.access.zeroRetention} name="zdr" checked={of?.zdr ?? false} />
      <Switch label={texts.access.wizards} name="wizards" checked={of?.wizards ?? false} />
    </>
  )
}

/** Reads {@link OrganizationFields} from a form. */
export function settingsIn(fields: FormData) {
  return {
    name: String(fields.get('name')),
    allowance: Number(fields.get('allowance')),
    rate_limit: Number(fields.get('rate_limit')),
    zdr: fields.has('zdr'),
    wizards: fields.has('wizards'),
  }
}
