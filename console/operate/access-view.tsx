import { admin } from '../api/admin.ts'
import { Failure } from '../frame/failure.tsx'
import { navigate } from '../frame/location.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { count } from '../numbers.ts'
import { Loading } from '../search/search-view.tsx'
import { texts } from '../texts.ts'
import { Instant } from '../time/instant.tsx'
import { Form } from './form.tsx'
import { Guard, OperateHead } from './guard.tsx'
import { OrganizationFields, settingsIn } from './organization-fields.tsx'
import { OrganizationView } from './organization-view.tsx'
import { Table } from './table.tsx'

const LISTED = '1000'

const parts = ['organizations', 'agents', 'audit'] as const

/** The view at `/access`: who may call, and what they used. The address says which part or organization is shown. */
export function AccessView({ query }: { query: URLSearchParams }) {
  return (
    <Guard>
      <Access query={query} />
    </Guard>
  )
}

function Access({ query }: { query: URLSearchParams }) {
  const organization = query.get('org')
  if (organization !== null) return <OrganizationView key={organization} id={organization} month={query.get('month')} />
  const part = parts.find(each => each === query.get('part')) ?? 'organizations'
  return (
    <div class="operate">
      <OperateHead title={texts.access.title} />
      <nav class="subviews" aria-label={texts.access.parts}>
        {parts.map(each => (
          <a
            key={each}
            href={each === 'organizations' ? '/access' : `/access?part=${each}`}
            aria-current={each === part ? 'page' : undefined}
          >
            {texts.access.partNames[each]}
          </a>
        ))}
      </nav>
      {part === 'organizations' && <Organizations />}
      {part === 'agents' && <Agents />}
      {part === 'audit' && <Audit />}
    </div>
  )
}

function Organizations() {
  const [loaded, again] = useLoaded('organizations', () => admin.read('org/list', { limit: LISTED }))
  const { names } = texts.access
  return (
    <>
      {loaded.state === 'loading' && <Loading />}
      {loaded.state === 'failed' && <Failure failure={loaded.failure} onRetry={again} />}
      {loaded.state === 'full' &&
        (loaded.value.length === 0 ? (
          <p class="state">{texts.access.noOrganizations}</p>
        ) : (
          <Table
            label={texts.access.partNames.organizations}
            rows={loaded.value}
            keyOf={({ id }) => id}
            columns={[
              { name: names.name, cell: ({ id, name }) => <a href={`/access?org=${id}`}>{name}</a> },
              { name: names.allowance, isNumber: true, cell: ({ allowance }) => count(allowance) },
              { name: names.rateLimit, isNumber: true, cell: ({ rate_limit: limit }) => count(limit) },
              { name: names.retention, cell: ({ zdr }) => (zdr ? texts.access.zero : texts.access.usual) },
              { name: names.created, cell: ({ created_at: at }) => <Instant at={Date.parse(at)} precision="day" /> },
            ]}
          />
        ))}
      <section class="panel">
        <h2>{texts.access.newOrganization}</h2>
        <Form
          submit={texts.access.create}
          onSend={async fields => {
            const { id } = await admin.change('org/create', settingsIn(fields))
            navigate(`/access?org=${id}`)
          }}
        >
          <OrganizationFields />
        </Form>
      </section>
    </>
  )
}

function Agents() {
  const [plans] = useLoaded('plans', () => admin.read('plan/list'))
  const [agents, again] = useLoaded('agents', () => admin.read('agent/list', { limit: LISTED }))
  if (agents.state === 'loading' || plans.state === 'loading') return <Loading />
  if (agents.state === 'failed') return <Failure failure={agents.failure} onRetry={again} />
  if (plans.state === 'failed') return <Failure failure={plans.failure} onRetry={again} />
  const { names } = texts.access
  return (
    <>
      <section class="panel">
        <h2>{texts.access.plans}</h2>
        {plans.value.length === 0 ? (
          <p class="faint">{texts.access.noPlans}</p>
        ) : (
          <ul class="cards">
            {plans.value.map(plan => (
              <li key={plan.id} class="card">
                <h3>{plan.id}</h3>
                <dl class="facts">
                  {Object.entries(plan)
                    .filter(([name, value]) => name !== 'id' && typeof value !== 'object')
                    .map(([name, value]) => (
                      <div key={name}>
                        <dt>{name.replaceAll('_', ' ')}</dt>
                        <dd>{typeof value === 'number' ? count(value) : String(value)}</dd>
                      </div>
                    ))}
                </dl>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section class="panel">
        <h2>{texts.access.agents}</h2>
        {agents.value.length === 0 ? (
          <p class="faint">{texts.access.noAgents}</p>
        ) : (
          <Table
            label={texts.access.agents}
            rows={agents.value}
            keyOf={({ id }) => id}
            columns={[
              { name: names.id, cell: ({ id }) => <code>{id}</code> },
              { name: names.created, cell: ({ created_at: at }) => <Instant at={Date.parse(at)} /> },
              { name: names.expires, cell: ({ expires_at: at }) => <Instant at={Date.parse(at)} precision="day" /> },
              {
                name: names.state,
                cell: ({ revoked_at: at }) => (at === null ? texts.access.active : texts.access.revoked),
              },
            ]}
          />
        )}
      </section>
    </>
  )
}

function Audit() {
  const [loaded, again] = useLoaded('audit', () => admin.read('org/audit', { limit: LISTED }))
  if (loaded.state === 'loading') return <Loading />
  if (loaded.state === 'failed') return <Failure failure={loaded.failure} onRetry={again} />
  if (loaded.value.length === 0) return <p class="state">{texts.access.noAudit}</p>
  const { names } = texts.access
  return (
    <Table
      label={texts.access.partNames.audit}
      rows={loaded.value}
      keyOf={({ sequence }) => sequence}
      columns={[
        { name: names.when, cell: ({ at }) => <Instant at={Date.parse(at)} precision="second" /> },
        { name: names.act, cell: ({ act }) => <code>{act}</code> },
        { name: names.target, cell: ({ target }) => <code>{target}</code> },
        { name: names.who, cell: ({ actor }) => actor },
        {
          name: names.facts,
          cell: ({ facts = {} }) =>
            Object.entries(facts)
              .map(([name, value]) => `${name}: ${value}`)
              .join(', '),
        },
      ]}
    />
  )
}
