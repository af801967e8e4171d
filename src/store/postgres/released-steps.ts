import { type SchemaStep, statesStep } from "../schema-step.ts"

/** Entry n takes a database from version n + 1 to n + 2. Released entries never change, and only add: see `oldest`. */
export const releasedSteps: readonly SchemaStep[] = [
  {
    change: `
      ALTER TABLE ledger ADD COLUMN debt bigint NOT NULL DEFAULT 0;
      CREATE TABLE adjustments (
        id         text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
        at_ms      bigint NOT NULL,
        kind       text NOT NULL CHECK (kind IN ('sign_up', 'grant', 'adjustment', 'undo')),
        credits    bigint NOT NULL CHECK (credits <> 0),
        reason     text NOT NULL,
        reference  text COLLATE "C",
        undoes     text COLLATE "C",
        made_by    text NOT NULL
      );
      CREATE INDEX adjustments_by_account ON adjustments (account_id, at_ms, id);
      CREATE UNIQUE INDEX adjustments_by_reference ON adjustments (account_id, reference) WHERE reference IS NOT NULL;
      CREATE UNIQUE INDEX adjustments_by_undone ON adjustments (undoes) WHERE undoes IS NOT NULL;
      CREATE TRIGGER keep_rows BEFORE UPDATE OR DELETE ON adjustments FOR EACH ROW EXECUTE FUNCTION keep_rows();
      CREATE TABLE statements (
        account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
        month      text COLLATE "C" NOT NULL,
        written_ms bigint NOT NULL,
        body       text NOT NULL,
        PRIMARY KEY (account_id, month)
      );
      CREATE TRIGGER keep_rows BEFORE UPDATE OR DELETE ON statements FOR EACH ROW EXECUTE FUNCTION keep_rows();
      CREATE TABLE kept_requests (
        at_ms   bigint NOT NULL,
        process text COLLATE "C" NOT NULL,
        from_ms bigint NOT NULL,
        body    text NOT NULL,
        PRIMARY KEY (at_ms, process)
      );
      CREATE TABLE kept_request_recent (
        at_ms      bigint NOT NULL,
        process    text COLLATE "C" NOT NULL,
        from_ms    bigint NOT NULL,
        count      bigint NOT NULL,
        value_list text NOT NULL,
        PRIMARY KEY (at_ms, process)
      );
      CREATE TABLE kept_request_groups (
        number     bigint PRIMARY KEY,
        from_ms    bigint NOT NULL,
        until_ms   bigint NOT NULL,
        claimed_ms bigint,
        blocks     text NOT NULL
      );
      CREATE TABLE kept_request_values (
        value   text COLLATE "C" NOT NULL,
        number  bigint NOT NULL,
        members text COLLATE "C" NOT NULL,
        PRIMARY KEY (value, number)
      );
      CREATE INDEX kept_request_values_by_group ON kept_request_values (number);
      ALTER TABLE accounts ADD COLUMN email text COLLATE "C";
      CREATE TABLE email_links (
        hash       text COLLATE "C" PRIMARY KEY,
        id         text COLLATE "C" NOT NULL,
        kind       text COLLATE "C" NOT NULL CHECK (kind IN ('sign-up', 'sign-in', 'invitation')),
        email      text COLLATE "C" NOT NULL,
        name       text NOT NULL,
        plan       text,
        terms      text,
        account_id text COLLATE "C" CHECK ((account_id IS NULL) = (kind <> 'sign-in')),
        browser    text COLLATE "C",
        network    text COLLATE "C" NOT NULL,
        created_ms bigint NOT NULL,
        expires_ms bigint NOT NULL,
        used_ms    bigint
      );
      CREATE UNIQUE INDEX email_links_by_id ON email_links (id);
      CREATE INDEX email_links_by_expiry ON email_links (expires_ms);
      CREATE INDEX email_links_by_email ON email_links (email);
      CREATE INDEX email_links_by_network ON email_links (network);
      CREATE INDEX email_links_by_account ON email_links (account_id) WHERE account_id IS NOT NULL;
      CREATE INDEX email_links_by_creation ON email_links (created_ms, id);
      CREATE TABLE mails (
        id              text COLLATE "C" PRIMARY KEY,
        account_id      text COLLATE "C" REFERENCES accounts (id),
        recipient       text COLLATE "C" NOT NULL,
        template        text COLLATE "C" NOT NULL,
        data            text,
        raised_ms       bigint NOT NULL,
        expires_ms      bigint,
        state           text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'unsent', 'expired')),
        attempts        integer NOT NULL DEFAULT 0,
        waited_ms       bigint NOT NULL DEFAULT 0,
        next_attempt_ms bigint CHECK ((next_attempt_ms IS NOT NULL) = (state = 'pending')),
        last_status     integer,
        last_error      text,
        delivered_ms    bigint
      );
      CREATE INDEX mails_waiting ON mails (next_attempt_ms) WHERE state = 'pending';
      CREATE INDEX mails_by_time ON mails (raised_ms, id);
      CREATE INDEX mails_by_account ON mails (account_id, raised_ms, id);
      CREATE INDEX mails_by_recipient ON mails (recipient, raised_ms, id);
      CREATE TABLE service_settings (
        name  text COLLATE "C" PRIMARY KEY,
        value text NOT NULL
      );
      CREATE INDEX mails_failed ON mails (raised_ms, id) WHERE state = 'failed';
      ALTER TABLE accounts ADD COLUMN notify text COLLATE "C" NOT NULL DEFAULT 'webhook';
      CREATE TRIGGER mail_notice AFTER INSERT ON notices FOR EACH ROW WHEN (NEW.type <> 'test') EXECUTE FUNCTION mail_notice();
      ALTER TABLE sessions ADD COLUMN passkey_id text COLLATE "C";
      CREATE TABLE people (
        id text COLLATE "C" PRIMARY KEY, name text NOT NULL, permissions text NOT NULL, created_ms bigint NOT NULL, removed_ms bigint
      );
      CREATE INDEX people_by_creation ON people (created_ms, id) WHERE removed_ms IS NULL;
      CREATE TABLE passkeys (
        id            text COLLATE "C" PRIMARY KEY,
        credential_id text COLLATE "C" NOT NULL UNIQUE,
        person_id     text COLLATE "C" NOT NULL REFERENCES people (id),
        name          text NOT NULL,
        public_key    text NOT NULL,
        counter       bigint NOT NULL,
        transports    text NOT NULL,
        site          text NOT NULL,
        created_ms    bigint NOT NULL,
        used_ms       bigint
      );
      CREATE INDEX passkeys_by_person ON passkeys (person_id, created_ms, id);
      CREATE TABLE passkey_challenges (
        hash text COLLATE "C" PRIMARY KEY, browser text NOT NULL, expires_ms bigint NOT NULL
      );
      CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_ms);
      CREATE TABLE call_replays (
        account_id text COLLATE "C" NOT NULL,
        key_hash   text COLLATE "C" NOT NULL,
        input_hash text NOT NULL,
        created_ms bigint NOT NULL,
        credits    bigint NOT NULL,
        replays    bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (account_id, key_hash)
      );
      CREATE INDEX call_replays_by_creation ON call_replays (created_ms);`,
    indexes: [
      { name: "accounts_by_email", on: "accounts (email) WHERE email IS NOT NULL", isUnique: true },
      { name: "accounts_by_name", on: "accounts (lower_name, id)" },
      { name: "keys_by_name", on: 'keys ((lower(name COLLATE "C")), id)' },
      { name: "keys_by_prefix", on: 'keys (prefix COLLATE "C", id)' },
      { name: "keys_revoked", on: "keys (id) WHERE revoked_ms IS NOT NULL" },
      { name: "keys_disabled", on: "keys (id) WHERE disabled_ms IS NOT NULL" },
      { name: "audit_by_operation_and_actor", on: "audit (operation, actor, at_ms, id)" },
    ],
  },
  {
    change: `
      ALTER TABLE notices ADD COLUMN mailed boolean NOT NULL DEFAULT false;
      CREATE TRIGGER mails_of_notices AFTER INSERT ON mails FOR EACH ROW WHEN (NEW.template = 'notice') EXECUTE FUNCTION mark_mailed();`,
    ...statesStep,
  },
]
