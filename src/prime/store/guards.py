"""What keeps the log append-only: triggers of the database itself, which hold whoever writes."""

# What an erasure may change: text and body become empty, everything else stays as it is.
_HEADER = ("seq", "id", "channel_id", "actor_id", "ts", "kind", "audience", "course", "payload_hash", "sources")
_NULLABLE_HEADER = ("source_tag", "idempotency_key")


def _blanking(same: str) -> str:
    unchanged = [f"NEW.{c} = OLD.{c}" for c in _HEADER] + [f"NEW.{c} {same} OLD.{c}" for c in _NULLABLE_HEADER]
    allowed = "EXISTS (SELECT 1 FROM erasure WHERE message_id = OLD.id)"
    return " AND ".join([*unchanged, "NEW.text = ''", "NEW.body = '{}'", allowed])


REFUSAL = "the log is append-only"

# `INSERT OR REPLACE` deletes the old row without firing delete triggers, so the insert itself is watched, too.
GUARDS_SQLITE = (
    f"""CREATE TRIGGER message_no_replace BEFORE INSERT ON message
        WHEN NEW.seq <= (SELECT max(seq) FROM message) OR EXISTS (SELECT 1 FROM message WHERE id = NEW.id)
          OR (NEW.idempotency_key IS NOT NULL AND EXISTS (SELECT 1 FROM message WHERE channel_id = NEW.channel_id
              AND actor_id = NEW.actor_id AND idempotency_key = NEW.idempotency_key))
        BEGIN SELECT raise(ABORT, '{REFUSAL}'); END""",
    f"""CREATE TRIGGER message_no_update BEFORE UPDATE ON message WHEN NOT ({_blanking("IS")})
        BEGIN SELECT raise(ABORT, '{REFUSAL}'); END""",
    f"CREATE TRIGGER message_no_delete BEFORE DELETE ON message BEGIN SELECT raise(ABORT, '{REFUSAL}'); END",
    f"""CREATE TRIGGER erasure_no_replace BEFORE INSERT ON erasure
        WHEN EXISTS (SELECT 1 FROM erasure WHERE message_id = NEW.message_id)
        BEGIN SELECT raise(ABORT, '{REFUSAL}'); END""",
    f"CREATE TRIGGER erasure_no_update BEFORE UPDATE ON erasure BEGIN SELECT raise(ABORT, '{REFUSAL}'); END",
    f"CREATE TRIGGER erasure_no_delete BEFORE DELETE ON erasure BEGIN SELECT raise(ABORT, '{REFUSAL}'); END",
)

GUARDS_POSTGRESQL = (
    f"""CREATE FUNCTION prime_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$""",
    # A trigger's WHEN cannot look into another table, so the exception for erasures is in a function.
    f"""CREATE FUNCTION prime_only_blanked() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF {_blanking("IS NOT DISTINCT FROM")} THEN RETURN NEW; END IF;
          RAISE EXCEPTION '{REFUSAL}';
        END $$""",
    "CREATE TRIGGER message_no_update BEFORE UPDATE ON message FOR EACH ROW EXECUTE FUNCTION prime_only_blanked()",
    "CREATE TRIGGER message_no_delete BEFORE DELETE ON message FOR EACH ROW EXECUTE FUNCTION prime_append_only()",
    "CREATE TRIGGER message_no_truncate BEFORE TRUNCATE ON message EXECUTE FUNCTION prime_append_only()",
    "CREATE TRIGGER erasure_no_update BEFORE UPDATE ON erasure FOR EACH ROW EXECUTE FUNCTION prime_append_only()",
    "CREATE TRIGGER erasure_no_delete BEFORE DELETE ON erasure FOR EACH ROW EXECUTE FUNCTION prime_append_only()",
    "CREATE TRIGGER erasure_no_truncate BEFORE TRUNCATE ON erasure EXECUTE FUNCTION prime_append_only()",
)
