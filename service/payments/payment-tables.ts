import type { Migrations } from '../../database/index.ts'

/** The tables of payments in PostgreSQL. */
export const paymentTables: Migrations = {
  store: 'payments',
  steps: [
    `
  -- The secret of fingerprints and receipts, which all servers have in common.
  create table payment_secret (
    singleton boolean primary key default true check (singleton),
    secret text not null
  );

  -- The servers that take payments. The locks of a server count until its lease ends; a lease that has ended is never renewed.
  create table payment_server (
    id uuid primary key,
    alive_until timestamptz not null
  );

  -- The payments that requests are using. A lock has a token of its own, so that it cannot be mistaken for a later one.
  create table payment_lock (
    id text collate "C" primary key,
    server uuid not null,
    token uuid not null
  );
  create index payment_lock_server on payment_lock (server);

  -- A record is json, which keeps its text, so that texts can be compared. held_at is epoch ms.
  create table payment (
    id text collate "C" primary key,
    held_at bigint not null,
    is_open boolean not null,
    record json not null
  );
  create index payment_in_time on payment (held_at, id);
  create index payment_open on payment (id) where is_open;
  `,
  ],
}
