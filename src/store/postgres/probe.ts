import { selectAccess } from "../rows.ts"

/** Usage of nothing. A page of 8 kB has room for four rows of this length; longer ones would be compressed. */
const filler = JSON.stringify([["", "x".repeat(1_900), 0, 0]])

/**
 * Does what a call does, without an account: finds a key, takes from a limit, charges, and writes more than a charge. Nothing of
 * it stays. A row that is only changed finds room on a full disk; two probes need a new page, as many charges do.
 */
export const probeStatement = `DO $probe$
  DECLARE
    place tid;
  BEGIN
    PERFORM FROM (${selectAccess.replace("$1", "''")}) AS access;
    PERFORM FROM take_rates('[]');
    UPDATE ledger SET used = used WHERE account_id = '';
    FOR i IN 1 .. 2 LOOP
      INSERT INTO usage_changes (entries) VALUES ('${filler}') RETURNING ctid INTO place;
      DELETE FROM usage_changes WHERE ctid = place;
    END LOOP;
  END $probe$`
