import { useRef, useState } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import { ApiError } from '../api/api-error.ts'
import type { Key, Organization, Workspace } from '../api/wire.ts'
import { DeadEnd } from '../frame/dead-end.tsx'
import { Failure } from '../frame/failure.tsx'
import { navigate } from '../frame/location.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { CopyButton } from '../search/copy-as.tsx'
import { Loading } from '../search/search-view.tsx'
import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'
import { ActButton, Field, Form } from './form.tsx'
import { OperateHead } from './guard.tsx'
import { OrganizationFields, settingsIn } from './organization-fields.tsx'
import { Table } from './table.tsx'
import { UsageChart } from './usage-chart.tsx'

const LISTED = '1000'

/** The organization with an id. The server lists organizations by id, after another one. */
async function organizationOf(id: string): Promise<Organization> {
  const all = await admin.read('org/list', { limit: LISTED })
  const found = all.find(each => each.id === id)
  if (!found) throw new ApiError('not_found', 404)
  return found
}

/** An organization: its settings, credits, usage, workspaces and keys. @param month - of the usage, such as 2026-11. */
export function OrganizationView({ id, month }: { id: string; month: string | null }) {
  const [organization, again] = useLoaded(id, () => organizationOf(id))
  if (organization.state === 'loading') return <Loading />
  if (organization.state === 'failed') {
    const { failure } = organization
    if (failure instanceof ApiError && failure.status === 404)
      return <DeadEnd title={texts.access.noOrganization} text={texts.access.noOrganizationText} />
    return <Failure failure={failure} onRetry={again} />
  }
  const { value } = organization
  return (
    <div class="operate">
      <nav class="faint" aria-label={texts.access.parts}>
        <a href="/access">{texts.access.title}</a>
      </nav>
      <OperateHead title={value.name} />
      <p class="faint">
        <code>{id}</code> · {texts.access.names.created} <Instant at={Date.parse(value.created_at)} />
      </p>
      <UsageSection id={id} month={month ?? new Date().toISOString().slice(0, 7)} />
      <Workspaces organization={id} />
      <section class="panel">
        <h2>{texts.access.settings}</h2>
        <Form
          submit={texts.access.save}
          keeps
          onSend={async fields => {
            await admin.change('org/update', { id, ...settingsIn(fields) })
            again()
          }}
        >
          <OrganizationFields of={value} />
        </Form>
      </section>
    </div>
  )
}

function UsageSection({ id, month }: { id: string; month: string }) {
  const [usage, again] = useLoaded(`${id} ${month}`, () => admin.read('usage/show', { org: id, month, by_day: 'true' }))
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{texts.access.usage}</h2>
        <label>
          <span class="hidden">{texts.access.month}</span>
          <input
            type="month"
            value={month}
            onChange={event => {
              const { value } = event.currentTarget
              if (/^\d{4}-\d\d$/.test(value)) navigate(`/access?org=${id}&month=${value}`, true)
            }}
          />
        </label>
      </div>
      {usage.state === 'loading' && <Loading />}
      {usage.state === 'failed' && <Failure failure={usage.failure} onRetry={again} />}
      {usage.state === 'full' && <UsageChart usage={usage.value} />}
      <Form
        submit={texts.access.addCredits}
        onSend={async fields => {
          await admin.change('credits/add', { org: id, credits: Number(fields.get('credits')) })
          again()
        }}
      >
        <Field label={texts.access.credits} name="credits" type="number" min={1} max={1_000_000_000} />
      </Form>
    </section>
  )
}

function Workspaces({ organization }: { organization: string }) {
  const [workspaces, again] = useLoaded(`workspaces ${organization}`, () =>
    admin.read('workspace/list', { org: organization, limit: LISTED }),
  )
  if (workspaces.state === 'failed') return <Failure failure={workspaces.failure} onRetry={again} />
  return (
    <section class="panel">
      <h2>{texts.access.workspaces}</h2>
      {workspaces.state === 'loading' && <Loading />}
      {workspaces.state === 'full' &&
        workspaces.value.map(workspace => <Keys key={workspace.id} workspace={workspace} onChange={again} />)}
      {workspaces.state === 'full' && workspaces.value.length === 0 && <p class="faint">{texts.access.noWorkspaces}</p>}
      <Form
        submit={texts.access.createWorkspace}
        onSend={async fields => {
          await admin.change('workspace/create', { org: organization, name: String(fields.get('name')) })
          again()
        }}
      >
        <Field label={texts.access.names.name} name="name" />
      </Form>
    </section>
  )
}

function stateOf({ disabled, revoked_at: revokedAt }: Key): string {
  if (revokedAt !== null) return texts.access.revoked
  return disabled ? texts.access.disabled : texts.access.active
}

/** A workspace with its keys. A new secret is shown once, in a dialog. */
function Keys({ workspace, onChange }: { workspace: Workspace; onChange: () => void }) {
  const { id, name, suspended } = workspace
  const [keys, again] = useLoaded(`keys ${id}`, () => admin.read('key/list', { workspace: id, limit: LISTED }))
  const [secret, setSecret] = useState<string>()
  const dialog = useRef<HTMLDialogElement>(null)
  const show = (created: { key: string }) => {
    setSecret(created.key)
    dialog.current?.showModal()
    again()
  }
  const { names } = texts.access
  return (
    <article class="workspace">
      <div class="panel-head">
        <h3>
          {name} {suspended && <span class="bad">{texts.access.suspended}</span>}
        </h3>
        <ActButton
          name={suspended ? texts.access.resume : texts.access.suspend}
          onAct={async () => {
            await admin.change(suspended ? 'workspace/resume' : 'workspace/suspend', { id })
            onChange()
          }}
        />
      </div>
      {keys.state === 'failed' && <Failure failure={keys.failure} onRetry={again} />}
      {keys.state === 'full' && keys.value.length === 0 && <p class="faint">{texts.access.noKeys}</p>}
      {keys.state === 'full' && keys.value.length > 0 && (
        <Table
          label={texts.access.keysOf(name)}
          rows={keys.value}
          keyOf={key => key.id}
          columns={[
            { name: names.label, cell: ({ label }) => label ?? <span class="faint">{texts.access.noLabel}</span> },
            { name: names.id, cell: key => <code>{key.id}</code> },
            {
              name: names.sealed,
              cell: ({ sealed_at: at }) =>
                at === null ? <span class="faint">{texts.access.notSealed}</span> : <Instant at={Date.parse(at)} />,
            },
            { name: names.created, cell: ({ created_at: at }) => <Instant at={Date.parse(at)} precision="day" /> },
            { name: names.state, cell: stateOf },
            {
              name: names.acts,
              cell: key =>
                key.revoked_at === null && (
                  <span class="acts">
                    <ActButton
                      name={texts.access.rotate}
                      question={texts.access.rotateQuestion}
                      onAct={async () => show(await admin.change('key/rotate', { id: key.id }))}
                    />
                    <ActButton
                      name={key.disabled ? texts.access.enable : texts.access.disable}
                      onAct={async () => {
                        await admin.change(key.disabled ? 'key/enable' : 'key/disable', { id: key.id })
                        again()
                      }}
                    />
                    <ActButton
                      name={texts.access.revoke}
                      question={texts.access.revokeQuestion}
                      onAct={async () => {
                        await admin.change('key/revoke', { id: key.id })
                        again()
                      }}
                    />
                  </span>
                ),
            },
          ]}
        />
      )}
      <Form
        submit={texts.access.createKey}
        onSend={async fields => {
          const text = (name: string) => String(fields.get(name)).trim() || undefined
          const given = { label: text('label'), sealed_at: text('sealed_at') }
          show(await admin.change('key/create', { workspace: id, ...given }))
        }}
      >
        <Field label={names.label} name="label" required={false} />
        <Field label={texts.access.sealedHint} name="sealed_at" required={false} />
      </Form>
      <dialog ref={dialog} aria-labelledby={`secret-${id}`} onClose={() => setSecret(undefined)}>
        <h2 id={`secret-${id}`}>{texts.access.secret}</h2>
        <p>{texts.access.secretText}</p>
        <p class="secret">
          <code>{secret}</code>
        </p>
        <form method="dialog" class="acts">
          <CopyButton text={secret ?? ''} label={texts.access.copy} isPrimary />
          <button type="submit" class="button">
            {texts.frame.close}
          </button>
        </form>
      </dialog>
    </article>
  )
}
