import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { messageOf } from '../frame/failure.tsx'
import { texts } from '../texts.ts'

interface FormProps {
  /** What the button says. */
  submit: string
  /** Sends the fields of the form. An error that it throws is shown. */
  onSend: (fields: FormData) => Promise<unknown>
  /** True if the form keeps what was typed after it was sent. */
  keeps?: boolean
  children: ComponentChildren
}

/** A form that says whether it was sent, and why not. */
export function Form({ submit, onSend, keeps = false, children }: FormProps) {
  const [state, setState] = useState<{ kind: 'idle' | 'busy' | 'done' } | { kind: 'failed'; why: string }>({
    kind: 'idle',
  })
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    setState({ kind: 'busy' })
    onSend(new FormData(form)).then(
      () => {
        setState({ kind: 'done' })
        if (!keeps) form.reset()
      },
      (failure: unknown) => setState({ kind: 'failed', why: messageOf(failure) }),
    )
  }
  return (
    <form class="fields" onSubmit={onSubmit}>
      {children}
      <button type="submit" class="button" disabled={state.kind === 'busy'}>
        {submit}
      </button>
      <output class={state.kind === 'failed' ? 'bad' : 'faint'}>
        {state.kind === 'done' && texts.access.saved}
        {state.kind === 'failed' && state.why}
      </output>
    </form>
  )
}

interface FieldProps {
  label: string
  name: string
  value?: string | number
  type?: 'text' | 'number'
  min?: number
  max?: number
  required?: boolean
}

export function Field({ label, type = 'text', required = true, ...input }: FieldProps) {
  const more = { required, autocomplete: 'off', ...input }
  return (
    <label class="field">
      <span>{label}</span>
      {type === 'number' ? <input type="number" {...more} /> : <input maxLength={200} {...more} />}
    </label>
  )
}

export function Switch({ label, name, checked }: { label: string; name: string; checked?: boolean }) {
  return (
    <label class="switch">
      <input type="checkbox" name={name} checked={checked} />
      <span>{label}</span>
    </label>
  )
}

/** A button that changes something at once. It asks first if `question` is given, and says why it failed. */
export function ActButton({
  name,
  question,
  onAct,
}: {
  name: string
  question?: string
  onAct: () => Promise<unknown>
}) {
  const [why, setWhy] = useState<string>()
  return (
    <>
      <button
        type="button"
        class="text-button"
        onClick={() => {
          if (question !== undefined && !confirm(question)) return
          setWhy(undefined)
          onAct().catch((failure: unknown) => setWhy(messageOf(failure)))
        }}
      >
        {name}
      </button>
      {why !== undefined && (
        <span class="bad" role="alert">
          {why}
        </span>
      )}
    </>
  )
}
