import type { Migrations } from '../../../database/index.ts'
import { ledgerFunctions } from './ledger-functions.ts'

/**
 * The tables of accounts in PostgreSQL. Instants of records are epoch ms by the clock of the server that wrote them; the
 * expiry of a hold is by the clock of the database. Ids sort by age in the collation "C".
 */
const tables = `
  create table organization (
    id text collate "C" primary key,
    name text not null,
    zdr boolean not null,
    wizards boolean not null,
    rate_limit bigint not null,
    allowance bigint not null,
    created_at bigint not null
  );

  create table workspace (
    id text collate "C" primary key,
    name text not null,
    organization text collate "C" not null references organization,
    suspended boolean not null,
    created_at bigint not null
  );
  create index workspace_of_organization on workspace (organization, id);

  -- "hash" is the SHA-256 of the secret, which is not stored.
  create table api_key (
    id text collate "C" primary key,
    workspace text collate "C" not null references workspace,
    label text,
    sealed_at bigint,
    hash text not null unique,
    disabled boolean not null,
    created_at bigint not null,
    rotated_at bigint,
    revoked_at bigint
  );
  create index api_key_of_workspace on api_key (workspace, id);

  create table agent (
    id text collate "C" primary key,
    hash text not null unique,
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint
  );

  -- A plan that an agent has. Its calls are charged to the account with its id. A payment buys one.
  create table plan_grant (
    id text collate "C" primary key,
    agent text collate "C" not null,
    plan text not null,
    kind text not null,
    services text[] not null,
    units bigint not null,
    rate_per_second bigint not null,
    starts_at bigint not null,
    ends_at bigint,
    method text not null,
    reference text not null,
    refunded_at bigint,
    unique (method, reference)
  );
  create index plan_grant_of_agent on plan_grant (agent, id);

  -- A record is json and not jsonb, which cannot hold every string.
  create table audit (
    sequence bigint primary key,
    record json not null
  );

  -- The sums of the entries of an account up to "sequence". "month" is the latest month of a call: a clock that was set
  -- back gives no allowance twice.
  create table account (
    id text collate "C" primary key,
    sequence bigint not null default 0,
    balance bigint not null default 0 check (balance >= 0),
    month text collate "C" not null default ''
  );

  -- The charges of a month. "calls" has the number of calls by SKU; no entry of the month is before "first_sequence".
  create table account_month (
    account text collate "C" not null,
    month text collate "C" not null,
    calls jsonb not null,
    allowance bigint not null,
    paid bigint not null,
    first_sequence bigint not null,
    primary key (account, month)
  );

  -- Entries never change. "hold" is that of a charge, by which a charge whose answer was lost is recognized.
  create table ledger_entry (
    account text collate "C" not null,
    sequence bigint not null,
    at bigint not null,
    kind text not null check (kind in ('purchase', 'charge', 'refund', 'return')),
    credits bigint not null,
    source text not null check (source in ('purchased', 'allowance')),
    month text collate "C",
    sku text,
    key text,
    refund_of bigint,
    hold uuid,
    primary key (account, sequence)
  );

  -- The credits that are held for running calls, one a row. A hold that has expired counts no more: the server that made
  -- it is dead, or its call took too long. Rows are deleted and never changed.
  create table credit_hold (
    id uuid primary key,
    account text collate "C" not null,
    expires_at timestamptz not null
  );
  create index credit_hold_of_account on credit_hold (account, expires_at);
`

export const accountTables: Migrations = { store: 'accounts', steps: [tables + ledgerFunctions] }
