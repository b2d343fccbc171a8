import type { Migrations } from '../../database/index.ts'

/**
 * The tables of crawls in PostgreSQL.
 *
 * Instants that crawlers compare are those of the database's clock, since the clocks of machines differ. Those that are
 * only shown, or belong to a page, are epoch ms.
 */
export const crawlTables: Migrations = {
  store: 'frontier',
  steps: [
    `
  -- One crawl of a corpus, with its current run. "cursor" is the last URL that a new run has queued.
  create table frontier.crawl (
    id int generated always as identity primary key,
    name text not null unique,
    run int not null default 0,
    state text not null default 'finished' check (state in ('requeueing', 'running', 'finished')),
    watch boolean not null default false,
    started_at bigint not null default 0,
    cursor uuid,
    fetched bigint not null default 0
  );

  -- The processes that work on crawls. What a crawler owns is free once its lease has ended. "run" is null until it
  -- takes part in one.
  create table frontier.crawler (
    id uuid primary key,
    crawl int not null references frontier.crawl,
    run int,
    alive_until timestamptz not null
  );

  -- Every known URL. The id is a hash, because a URL can be too long for an index. The columns from due_at on are its
  -- place in the queue of its host; due_at is null if it is not queued. A record is json and not jsonb, which cannot
  -- hold every string.
  create table frontier.url (
    crawl int not null,
    id uuid not null,
    host text collate "C" not null,
    url text not null,
    record json not null,
    due_at bigint,
    rank smallint,
    depth int,
    arrival bigint,
    primary key (crawl, id)
  );
  create sequence frontier.arrival;
  create index url_queue on frontier.url (crawl, host, due_at, rank, depth, arrival) where due_at is not null;

  -- The URLs in flight, and the crawler that has each. A URL need not be known: a redirect may have led to it.
  create table frontier.taken (
    crawl int not null,
    id uuid not null,
    taker uuid not null,
    primary key (crawl, id)
  );

  -- The owner of a host is the only crawler that takes URLs of it. "waits" changes seldom, so that most updates of the
  -- counts change no index.
  create table frontier.host (
    crawl int not null,
    host text collate "C" not null,
    known bigint not null default 0,
    pending bigint not null default 0,
    waits boolean generated always as (pending > 0) stored,
    owner uuid,
    primary key (crawl, host)
  );
  create index host_waiting on frontier.host (crawl, host) where waits;

  -- Numbers of URLs by state. Each write changes one of 16 rows, so that they seldom wait for each other.
  create table frontier.counts (
    crawl int not null,
    shard smallint not null,
    pending bigint not null,
    done bigint not null,
    failed bigint not null,
    skipped bigint not null,
    primary key (crawl, shard)
  );

  create table frontier.stored_text (
    crawl int not null,
    host text not null,
    text_hash text not null,
    stored_as text not null,
    primary key (crawl, host, text_hash)
  );

  -- The id is a hash of the name.
  create table frontier.fact (
    crawl int not null,
    id uuid not null,
    value json not null,
    primary key (crawl, id)
  );

  -- "reader" is the crawler that is reading the file. "vouching_host" is the host whose robots.txt names it; null if
  -- the corpus does.
  create table frontier.sitemap (
    crawl int not null,
    id uuid not null,
    url text not null,
    vouching_host text,
    run int not null default 0,
    read_at bigint not null default 0,
    reader uuid,
    primary key (crawl, id)
  );
  create index sitemap_being_read on frontier.sitemap (crawl) where reader is not null;

  create table frontier.scope_host (
    crawl int not null,
    id uuid not null,
    url text not null,
    primary key (crawl, id)
  );

  -- When the next request to a host may start, for all crawls in this database, and the crawler whose request to the
  -- host is running.
  create table frontier.turn (
    host text primary key,
    next_at timestamptz not null,
    owner uuid
  );
  `,
  ],
}
