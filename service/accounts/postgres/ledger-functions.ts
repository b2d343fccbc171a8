/**
 * The ledger's functions in PostgreSQL. Each is one statement for the server: a call waits for the database once to hold
 * a credit and once to be charged. Each locks the row of the account first, so changes of one account run one after the
 * other, and a statement after the lock sees all that was committed before. Names of parameters begin with `the_`,
 * because those of columns must not be equal.
 *
 * They need the isolation level `read committed`, which is PostgreSQL's own default.
 */
export const ledgerFunctions = `
  -- The number of credits of an account that can be held for new calls. "the_free" is its monthly allowance.
  create function credits_available(the_account text, the_free bigint, the_month text) returns bigint
  language sql stable as $$
    select greatest(0, the_free - coalesce((
        select allowance from account_month
        where account = the_account
          and month = greatest(the_month, (select month from account where id = the_account))
      ), 0))
      + coalesce((select balance from account where id = the_account), 0)
      - (select count(*) from credit_hold where account = the_account and expires_at > clock_timestamp())
  $$;

  -- Adds an entry to an account that the transaction has locked, and to its sums. Returns its sequence number.
  create function append_entry(
    the_account text, the_at bigint, the_kind text, the_credits bigint, the_source text, the_month text, the_sku text,
    the_key text, the_refund_of bigint, the_hold uuid
  ) returns bigint language plpgsql as $$
  declare
    the_sequence bigint;
    counted int := -sign(the_credits);
    free bigint := case the_source when 'allowance' then -the_credits else 0 end;
    bought bigint := case the_source when 'purchased' then -the_credits else 0 end;
  begin
    update account set
      sequence = sequence + 1,
      balance = balance - bought,
      month = greatest(month, coalesce(the_month, ''))
    where id = the_account returning sequence into the_sequence;
    insert into ledger_entry (account, sequence, at, kind, credits, source, month, sku, key, refund_of, hold)
    values (the_account, the_sequence, the_at, the_kind, the_credits, the_source, the_month, the_sku, the_key,
      the_refund_of, the_hold);
    if the_sku is not null then
      insert into account_month as m (account, month, calls, allowance, paid, first_sequence)
      values (the_account, the_month, jsonb_build_object(the_sku, counted), free, bought, the_sequence)
      on conflict (account, month) do update set
        calls = m.calls || jsonb_build_object(the_sku, coalesce((m.calls ->> the_sku)::bigint, 0) + counted),
        allowance = m.allowance + free,
        paid = m.paid + bought;
    end if;
    return the_sequence;
  end $$;

  -- Holds a credit. Returns the number of entries of the account so far; null if no credit is left. A crash of the
  -- database may forget the hold, which then is like one that has expired, so nothing waits for the disk.
  create function hold_credit(the_hold uuid, the_account text, the_free bigint, the_month text, the_ms float8)
  returns bigint language plpgsql as $$
  declare
    entries bigint;
  begin
    perform set_config('synchronous_commit', 'off', true);
    select sequence into entries from account where id = the_account for update;
    if not found then
      insert into account (id) values (the_account) on conflict do nothing;
      select sequence into entries from account where id = the_account for update;
    end if;
    if credits_available(the_account, the_free, the_month) < 1 then return null; end if;
    insert into credit_hold values (the_hold, the_account, clock_timestamp() + the_ms * interval '1 millisecond');
    return entries;
  end $$;

  -- The charge of a hold and its source, if there is one. No entry up to "the_entries" is looked at.
  create function charge_of_hold(the_hold uuid, the_account text, the_entries bigint)
  returns setof ledger_entry language sql stable as $$
    select * from ledger_entry where account = the_account and sequence > the_entries and hold = the_hold
  $$;

  -- Charges a held credit. Returns the charge; nothing if the hold has expired and others have the credit. Returns the
  -- same charge again when it is repeated.
  create function charge_hold(
    the_hold uuid, the_account text, the_free bigint, the_month text, the_entries bigint, the_at bigint, the_sku text,
    the_key text
  ) returns table (charged_sequence bigint, charged_source text) language plpgsql as $$
  declare
    charged_month text;
    the_balance bigint;
    free_left bigint;
  begin
    select greatest(month, the_month), balance into charged_month, the_balance
    from account where id = the_account for update;
    delete from credit_hold where id = the_hold and expires_at > clock_timestamp();
    if not found then
      return query select e.sequence, e.source from charge_of_hold(the_hold, the_account, the_entries) e;
      if found then return; end if;
      -- The hold has expired. Its call is charged only if there is a credit that nobody holds.
      delete from credit_hold where id = the_hold;
      if credits_available(the_account, the_free, the_month) < 1 then return; end if;
    end if;
    free_left := the_free - coalesce((
      select allowance from account_month where account = the_account and month = charged_month), 0);
    charged_source := case when free_left >= 1 then 'allowance' else 'purchased' end;
    -- The allowance was lowered during the call.
    if charged_source = 'purchased' and the_balance < 1 then return; end if;
    charged_sequence := append_entry(
      the_account, the_at, 'charge', -1, charged_source, charged_month, the_sku, the_key, null, the_hold);
    return next;
  end $$;

  -- Ends a hold without a charge. A hold that comes back after a crash of the database expires, so nothing waits for the disk.
  create function void_hold(the_hold uuid) returns void language plpgsql as $$
  begin
    perform set_config('synchronous_commit', 'off', true);
    delete from credit_hold where id = the_hold;
  end $$;

  -- Ends a hold: takes back its charge if it has one that was not taken back yet.
  create function undo_hold(the_hold uuid, the_account text, the_entries bigint, the_at bigint)
  returns void language plpgsql as $$
  declare
    charge ledger_entry;
  begin
    perform from account where id = the_account for update;
    delete from credit_hold where id = the_hold;
    select * into charge from charge_of_hold(the_hold, the_account, the_entries);
    if not found then return; end if;
    perform from ledger_entry
    where account = the_account and sequence > charge.sequence and refund_of = charge.sequence;
    if found then return; end if;
    perform append_entry(
      the_account, the_at, 'refund', -charge.credits, charge.source, charge.month, charge.sku, charge.key,
      charge.sequence, null);
  end $$;

  -- Adds purchased credits to an account.
  create function purchase_credits(the_account text, the_credits bigint, the_at bigint)
  returns void language plpgsql as $$
  begin
    insert into account (id) values (the_account) on conflict do nothing;
    perform from account where id = the_account for update;
    perform append_entry(the_account, the_at, 'purchase', the_credits, 'purchased', null, null, null, null, null);
  end $$;

  -- Takes back all purchased credits of an account. Returns false, and does nothing, while a credit of it is held.
  create function take_back_credits(the_account text, the_at bigint) returns boolean language plpgsql as $$
  declare
    the_balance bigint;
  begin
    insert into account (id) values (the_account) on conflict do nothing;
    select balance into the_balance from account where id = the_account for update;
    perform from credit_hold where account = the_account and expires_at > clock_timestamp();
    if found then return false; end if;
    perform append_entry(the_account, the_at, 'return', -the_balance, 'purchased', null, null, null, null, null);
    return true;
  end $$;
`
