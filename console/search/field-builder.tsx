import { useState } from 'preact/hooks'
import type { Loaded } from '../frame/use-loaded.ts'
import { texts } from '../texts.ts'
import { visibleText } from '../visible-text.ts'
import { type Comparison, comparisonsOf, type Field, takesValue, withCondition } from './field-conditions.ts'

interface Props {
  fields: Loaded<readonly Field[]>
  /** The filter so far, as JSON. */
  filter: () => string
  onFilter: (filter: string) => void
  onFacet: (name: string) => void
}

/** Makes conditions and counts of the fields that the index has, so that nobody needs to know their names. */
export function FieldBuilder({ fields, ...props }: Props) {
  const { filters } = texts
  if (fields.state === 'loading') return <p class="faint">{filters.fieldsLoading}</p>
  if (fields.state === 'failed') return <p class="bad">{filters.fieldsFailed}</p>
  const [first] = fields.value
  if (!first) return <p class="faint">{filters.noFields}</p>
  return <Builder fields={fields.value} first={first} {...props} />
}

interface BuilderProps extends Omit<Props, 'fields'> {
  fields: readonly Field[]
  first: Field
}

function Builder({ fields, first, filter, onFilter, onFacet }: BuilderProps) {
  const { filters } = texts
  const [name, setName] = useState(first.name)
  const [comparison, setComparison] = useState<Comparison>('is')
  const [value, setValue] = useState('')
  const [isBad, setIsBad] = useState(false)
  const field = fields.find(one => one.name === name) ?? first
  const possible = comparisonsOf(field.type)
  const chosen = possible.includes(comparison) ? comparison : 'is'
  const add = () => {
    const changed = withCondition(filter(), field, chosen, value)
    setIsBad(changed === undefined)
    if (changed === undefined) return
    onFilter(changed)
    setValue('')
  }
  return (
    <fieldset class="field-builder">
      <legend class="name">{filters.builder}</legend>
      <select aria-label={filters.builderField} onChange={event => setName(event.currentTarget.value)}>
        {fields.map(one => (
          <option key={one.name} value={one.name} selected={one === field}>
            {filters.fieldOption(one.name, one.type, one.pages)}
          </option>
        ))}
      </select>
      <select
        aria-label={filters.builderComparison}
        onChange={event => setComparison(event.currentTarget.value as Comparison)}
      >
        {possible.map(one => (
          <option key={one} value={one} selected={one === chosen}>
            {filters.comparisons[one]}
          </option>
        ))}
      </select>
      <input
        aria-label={filters.builderValue}
        aria-invalid={isBad}
        list="field-examples"
        placeholder={visibleText(String(field.examples[0]?.value ?? ''))}
        disabled={!takesValue(chosen)}
        value={value}
        onInput={event => setValue(event.currentTarget.value)}
      />
      <datalist id="field-examples">
        {field.examples.map(example => (
          <option key={String(example.value)} value={String(example.value)} />
        ))}
      </datalist>
      <button type="button" class="button small" onClick={add}>
        {filters.addCondition}
      </button>
      <button type="button" class="button small" onClick={() => onFacet(field.name)}>
        {filters.countField}
      </button>
      {isBad && (
        <p class="bad" role="alert">
          {filters.valueBad(field.type)}
        </p>
      )}
    </fieldset>
  )
}
